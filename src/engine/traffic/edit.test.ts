import { expect, test } from 'vitest';
import { editTraffic, servicesInText } from './index.ts';

const blueGreen = `# the shop
apiVersion: serving.knative.dev/v1
kind: Service
metadata:
  name: shop # public
spec:
  template:
    metadata:
      name: shop-v2
    spec:
      containers:
        - image: ghcr.io/acme/shop:v2
          # how it is reached
          ports:
            - containerPort: 8080
  traffic:
    # until the new one is validated
    - revisionName: shop-v1 # the old one
      percent: 100 # all
    # reachable by its tag only
    - revisionName: shop-v2
      percent: 0
      tag: candidate
# the end
`;

test('an entry that stays keeps its lines and comments', () => {
  const split = [
    { revisionName: 'shop-v1', percent: 90 },
    { revisionName: 'shop-v2', percent: 10, tag: 'candidate' },
  ];
  const edited = editTraffic(blueGreen, 0, split);
  expect(edited).toBe(
    blueGreen.replace('percent: 100 # all', 'percent: 90 # all').replace('percent: 0\n', 'percent: 10\n'),
  );
});

test('an entry that goes takes its comments with it, and nothing else changes', () => {
  const edited = editTraffic(blueGreen, 0, [{ revisionName: 'shop-v2', percent: 100 }]);
  const [before = ''] = blueGreen.split('    # until');
  expect(edited).toBe(
    `${before}    # reachable by its tag only\n    - revisionName: shop-v2\n      percent: 100\n# the end\n`,
  );
});

const others: readonly (readonly [what: string, before: string, after: string])[] = [
  [
    'a Service without traffic, lists at the indentation of their key',
    'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: shop}\nspec:\n  template:\n    spec:\n      containers:\n      - image: a\n\n# end\n',
    'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: shop}\nspec:\n  template:\n    spec:\n      containers:\n      - image: a\n  traffic:\n  - revisionName: shop-v1\n    percent: 100\n\n# end\n',
  ],
  [
    'a patch without a spec',
    'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: shop\n',
    'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: shop\nspec:\n  traffic:\n    - revisionName: shop-v1\n      percent: 100\n',
  ],
  [
    'a list in flow style',
    'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: shop\nspec:\n  traffic: [{latestRevision: true, percent: 100}]\n  other: 1\n',
    'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: shop\nspec:\n  traffic:\n    - revisionName: shop-v1\n      percent: 100\n  other: 1\n',
  ],
  [
    'line ends of another system',
    'apiVersion: serving.knative.dev/v1\r\nkind: Service\r\nmetadata:\r\n  name: shop\r\nspec:\r\n  traffic:\r\n  - revisionName: shop-v1\r\n    percent: 50\r\n',
    'apiVersion: serving.knative.dev/v1\r\nkind: Service\r\nmetadata:\r\n  name: shop\r\nspec:\r\n  traffic:\r\n  - revisionName: shop-v1\r\n    percent: 100\r\n',
  ],
];
test.each(others)('%s', (_what, before, after) => {
  expect(editTraffic(before, 0, [{ revisionName: 'shop-v1', percent: 100 }])).toBe(after);
});

test('the other documents of a file stay as they are', () => {
  const text = `kind: ConfigMap\n---\n${blueGreen}---\n{ kind: Service, apiVersion: v1 }\n`;
  expect(servicesInText(text)).toEqual([
    { at: 1, name: 'shop', namespace: undefined, declaresTraffic: true, declaresTemplate: true },
  ]);
  const edited = editTraffic(text, 1, [{ latestRevision: true, percent: 100 }]);
  expect(edited.startsWith('kind: ConfigMap\n---\n# the shop\n')).toBe(true);
  expect(edited).toContain('    - latestRevision: true\n      percent: 100\n# the end\n---\n{ kind: Service');
});

test('a name that YAML would read as something else is quoted', () => {
  const edited = editTraffic(blueGreen, 0, [{ revisionName: 'null', percent: 100, tag: 'on' }]);
  expect(edited).toContain('- revisionName: "null"\n      percent: 100\n      tag: "on"\n');
});

const unsafe: readonly (readonly [why: string, text: string])[] = [
  ['JSON', '{"apiVersion":"serving.knative.dev/v1","kind":"Service","metadata":{"name":"a"},"spec":{}}\n'],
  ['two specs', 'kind: Service\nspec:\n  a: 1\nspec:\n  b: 1\n'],
  ['a template', 'kind: Service\nspec:\n  traffic: {{ .Values.traffic }}\n'],
  [
    'traffic within a text',
    'kind: Service\nmetadata: &m\n  name: |\n    spec:\n  x: "a\nspec:\n  traffic: b"\n',
  ],
];
test.each(unsafe)('%s is refused rather than guessed', (_why, text) => {
  expect(() => editTraffic(text, 0, [{ revisionName: 'a', percent: 100 }])).toThrow(
    /cannot be edited in place/,
  );
});
