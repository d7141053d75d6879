import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { parse } from '#lang/yaml';
import { editTemplate, restoredTemplate, revisionToRestore, templateOf } from './index.ts';

const service = (template: object, status: object = {}): KubeObject => ({
  ...{ apiVersion: 'serving.knative.dev/v1', kind: 'Service' },
  metadata: { name: 'shop', namespace: 'n', generation: 3 },
  spec: { template },
  status: { observedGeneration: 3, latestCreatedRevisionName: 'shop-00002', ...status },
});

type Marks = { labels?: Record<string, string>; annotations?: Record<string, string> };
const revision = (
  number: number,
  spec: object,
  { labels = {}, annotations = {} }: Marks = {},
): KubeObject => ({
  ...{ apiVersion: 'serving.knative.dev/v1', kind: 'Revision' },
  metadata: {
    name: `shop-0000${number}`,
    labels: { 'serving.knative.dev/configurationGeneration': String(number), ...labels },
    annotations: { 'serving.knative.dev/routingStateModified': `2026-01-0${number}`, ...annotations },
  },
  spec,
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

/** A Revision as Knative stores it: with defaults, and its container with a name. */
const stored = (container: object, more: object = {}) => ({
  containerConcurrency: 0,
  timeoutSeconds: 300,
  enableServiceLinks: false,
  containers: [
    {
      name: 'user-container',
      readinessProbe: { successThreshold: 1, tcpSocket: { port: 0 } },
      resources: {},
      ...container,
    },
  ],
  ...more,
});

const env = (...pairs: string[]) =>
  pairs.map((pair) => ({ name: pair.split('=')[0], value: pair.split('=')[1] }));
const one = (container: object) => ({ spec: { containers: [container] } });

const merges: readonly {
  readonly what: string;
  readonly declared: object;
  readonly current: KubeObject;
  readonly wanted: KubeObject;
  readonly restored: object;
}[] = [
  {
    what: 'an image, without the defaults and the name that Knative added',
    declared: one({ image: 'shop:2' }),
    current: revision(2, stored({ image: 'shop:2' })),
    wanted: revision(1, stored({ image: 'shop:1' })),
    restored: one({ image: 'shop:1' }),
  },
  {
    what: 'variables by their names, in the order of the wanted Revision',
    declared: one({ image: 'a', env: env('B=2', 'C=3') }),
    current: revision(2, stored({ image: 'a', env: env('B=2', 'C=3') })),
    wanted: revision(1, stored({ image: 'a', env: env('A=1', 'B=1') })),
    restored: one({ image: 'a', env: env('A=1', 'B=1') }),
  },
  {
    what: 'a variable that becomes a reference, and a field that is removed',
    declared: { spec: { timeoutSeconds: 60, containers: [{ image: 'a', env: env('A=1') }] } },
    current: revision(2, stored({ image: 'a', env: env('A=1') }, { timeoutSeconds: 60 })),
    wanted: revision(
      1,
      stored({ image: 'a', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's' } } }] }),
    ),
    restored: {
      spec: {
        timeoutSeconds: 300,
        containers: [{ image: 'a', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's' } } }] }],
      },
    },
  },
  {
    what: 'annotations and labels of users, and none of Knative',
    declared: {
      metadata: { annotations: { 'autoscaling.knative.dev/max-scale': '5', team: 'a' } },
      ...one({ image: 'a' }),
    },
    current: revision(2, stored({ image: 'a' }), {
      annotations: { 'autoscaling.knative.dev/max-scale': '5', team: 'a' },
    }),
    wanted: revision(1, stored({ image: 'a' }), {
      annotations: { 'autoscaling.knative.dev/max-scale': '1', 'serving.knative.dev/creator': 'ann' },
      labels: { tier: 'front' },
    }),
    restored: {
      metadata: { annotations: { 'autoscaling.knative.dev/max-scale': '1' }, labels: { tier: 'front' } },
      ...one({ image: 'a' }),
    },
  },
  {
    what: 'a map of annotations that becomes empty is left out',
    declared: { metadata: { annotations: { team: 'a' } }, ...one({ image: 'a' }) },
    current: revision(2, stored({ image: 'a' }), { annotations: { team: 'a' } }),
    wanted: revision(1, stored({ image: 'a' })),
    restored: one({ image: 'a' }),
  },
  {
    what: 'a sidecar and a volume that came since, quantities as Git spells them',
    declared: {
      spec: {
        containers: [
          { name: 'app', image: 'a', resources: { limits: { cpu: '1000m' } } },
          { name: 'side', image: 's' },
        ],
        volumes: [{ name: 'v', configMap: { name: 'c' } }],
      },
    },
    current: revision(2, {
      containers: [
        { name: 'app', image: 'a', resources: { limits: { cpu: '1' } } },
        { name: 'side', image: 's', resources: {} },
      ],
      volumes: [{ name: 'v', configMap: { name: 'c' } }],
    }),
    wanted: revision(1, { containers: [{ name: 'app', image: 'a', resources: { limits: { cpu: '1' } } }] }),
    restored: {
      spec: { containers: [{ name: 'app', image: 'a', resources: { limits: { cpu: '1000m' } } }] },
    },
  },
  {
    what: 'the name of the Revision, where the template has one',
    declared: { metadata: { name: 'shop-00002' }, ...one({ image: 'shop:2' }) },
    current: revision(2, stored({ image: 'shop:2' })),
    wanted: revision(1, stored({ image: 'shop:1' })),
    restored: { metadata: { name: 'shop-00001' }, ...one({ image: 'shop:1' }) },
  },
];
test.each(merges)('RK-14: restores $what', ({ declared, current, wanted, restored }) => {
  expect(restoredTemplate(service(declared), { current, wanted })).toEqual(restored);
});

const unready = (of: KubeObject): KubeObject => ({
  ...of,
  status: { conditions: [{ type: 'Ready', status: 'False' }] },
});
const [first, second, again] = [stored({ image: 'a:1' }), stored({ image: 'a:2' }), stored({ image: 'a:1' })];
const at = { latestCreatedRevisionName: 'shop-00003' };
const chosen: readonly (readonly [
  what: string,
  base: object,
  revisions: readonly KubeObject[],
  name: string,
])[] = [
  [
    'the newest ready one',
    at,
    [revision(1, first), revision(2, second), revision(3, stored({ image: 'x' }))],
    'shop-00002',
  ],
  [
    'not one with the same content',
    at,
    [revision(1, stored({ image: 'b' })), revision(2, again), revision(3, first)],
    'shop-00001',
  ],
  [
    'not one that is not ready',
    at,
    [revision(1, first), unready(revision(2, second)), revision(3, stored({ image: 'x' }))],
    'shop-00001',
  ],
];
test.each(chosen)('RK-14: the previous Revision is %s', (_what, status, revisions, name) => {
  expect(revisionToRestore({ service: service({}, status), revisions }, 0).metadata.name).toBe(name);
});

test('RK-14: during an update the previous Revision is the stable one, and any other is chosen by its number', () => {
  const revisions = [revision(1, first), revision(2, second), revision(3, stored({ image: 'x' }))];
  const base = { service: service({}, at), revisions, stable: 'shop-00001' };
  expect(revisionToRestore(base, 0).metadata.name).toBe('shop-00001');
  expect(revisionToRestore(base, 2).metadata.name).toBe('shop-00002');
  expect(() => revisionToRestore(base, 7)).toThrow(
    'Service shop has no Revision of generation 7; there are 3 (shop-00003), 2 (shop-00002), 1 (shop-00001)',
  );
  expect(() => revisionToRestore({ service: service({}, at), revisions: [revision(3, first)] }, 0)).toThrow(
    'has no earlier Revision that is ready; there are 3 (shop-00003)',
  );
  const pending = { latestCreatedRevisionName: 'shop-00003', observedGeneration: 2 };
  expect(() => revisionToRestore({ service: service({}, pending), revisions }, 0)).toThrow(
    'has not created the Revision',
  );
});

const manifest = `# the shop
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: shop}
spec:
  template:
    metadata:
      annotations:
        # at most
        autoscaling.knative.dev/max-scale: "5" # five
        team: a
    spec:
      containers:
        - image: "ghcr.io/acme/shop:v2" # released on Friday
          args: ["--fast"]
          env:
            # the mode
            - name: MODE
              value: new
            - name: EXTRA
              value: "1"
          # how it is reached
          ports:
            - containerPort: 8080
  # no traffic: the Rollout moves it
`;

test('RK-14: an edit changes what differs, and keeps every other line with its comments', () => {
  const from = templateOf(parse(manifest) as KubeObject);
  const to = {
    metadata: { annotations: { 'autoscaling.knative.dev/max-scale': '1' } },
    spec: {
      containers: [
        {
          image: 'ghcr.io/acme/shop:v1',
          args: ['--slow', '--safe'],
          env: [
            { name: 'MODE', value: 'old' },
            { name: 'DEBUG', valueFrom: { configMapKeyRef: { name: 'c', key: 'd' } } },
          ],
          ports: [{ containerPort: 8080 }],
        },
      ],
      timeoutSeconds: 60,
    },
  };
  expect(editTemplate(manifest, 0, { from, to })).toBe(
    manifest
      .replace('max-scale: "5"', 'max-scale: "1"')
      .replace('        team: a\n', '')
      .replace('shop:v2', 'shop:v1')
      .replace('["--fast"]', '["--slow", "--safe"]')
      .replace('value: new', 'value: old')
      .replace(
        '            - name: EXTRA\n              value: "1"\n',
        '            - name: DEBUG\n              valueFrom:\n                configMapKeyRef:\n                  name: c\n                  key: d\n',
      )
      .replace('- containerPort: 8080\n', '- containerPort: 8080\n      timeoutSeconds: 60\n'),
  );
});

const image = (of: string) => ({ spec: { containers: [{ image: of }] } });
const edits: readonly (readonly [what: string, before: string, after: string])[] = [
  [
    'JSON on one line',
    '{"spec":{"template":{"spec":{"containers":[{"image":"a:1"}]}}}}',
    '{"spec":{"template":{"spec":{"containers":[{"image":"a:2"}]}}}}',
  ],
  [
    'a patch that has nothing of it',
    'kind: Service\nspec:\n  x: 1\n',
    'kind: Service\nspec:\n  x: 1\n  template:\n    spec:\n      containers:\n      - image: a:2\n',
  ],
  [
    'a patch without a spec',
    'kind: Service\n',
    'kind: Service\nspec:\n  template:\n    spec:\n      containers:\n      - image: a:2\n',
  ],
  [
    'another document',
    'a: 1\n---\nspec:\n  template:\n    spec:\n      containers: [{image: a:1}]\n',
    'a: 1\n---\nspec:\n  template:\n    spec:\n      containers: [{image: a:2}]\n',
  ],
  [
    'line ends of another system',
    'spec:\r\n  template:\r\n    spec:\r\n      containers:\r\n      - image: a:1\r\n',
    'spec:\r\n  template:\r\n    spec:\r\n      containers:\r\n      - image: a:2\r\n',
  ],
  [
    'a merge, by what it stands for',
    'x: &x\n  containers:\n  - image: a:1\nspec:\n  template:\n    spec:\n      <<: *x\n',
    'x: &x\n  containers:\n  - image: a:1\nspec:\n  template:\n    spec:\n      containers:\n      - image: a:2\n',
  ],
];
test.each(edits)('RK-14: edits %s', (what, before, after) => {
  const change = { from: image('a:1'), to: image('a:2') };
  expect(editTemplate(before, what === 'another document' ? 1 : 0, change)).toBe(after);
});

const unsafe: readonly (readonly [why: string, text: string])[] = [
  [
    'an anchor that others use',
    'spec:\n  template: &t\n    spec:\n      containers:\n      - &c {image: a:1}\n  other: *t\n',
  ],
  ['a template language', 'spec:\n  template: {{ .Values.x }}\n'],
  ['two templates', 'spec:\n  template: {}\n  template: {}\n'],
  ['a list', '- spec\n'],
];
test.each(unsafe)('RK-14: %s is refused rather than guessed', (_why, text) => {
  expect(() => editTemplate(text, 0, { from: image('a:1'), to: image('a:2') })).toThrow(
    /spec\.template cannot be edited in place/,
  );
});

test('RK-14: a Revision with hostile names restores data, and touches no prototype', () => {
  const hostile = JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": "x"}');
  const wanted = revision(1, stored({ image: 'a' }), { annotations: hostile });
  const restored = restoredTemplate(service(one({ image: 'a' })), {
    current: revision(2, stored({ image: 'a' })),
    wanted,
  });
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(Object.keys((restored.metadata as { annotations: object }).annotations)).toEqual([
    '__proto__',
    'constructor',
  ]);
});
