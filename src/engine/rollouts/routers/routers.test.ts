import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import type { CanaryStrategy, RolloutSpec } from '../rollout.ts';
import { Stage } from '../stage.ts';

const rollout = (canary: CanaryStrategy, spec: Partial<RolloutSpec> = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
    strategy: { canary: { stableService: 'stable', canaryService: 'canary', ...canary } },
    ...spec,
  },
});
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' } },
});
const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'web' },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host: 'shop.example.com',
        http: {
          paths: [
            { path: '/', pathType: 'Prefix', backend: { service: { name: 'stable', port: { number: 80 } } } },
          ],
        },
      },
    ],
  },
};
const steps = [{ setWeight: 10 }, { pause: {} }, { setWeight: 60 }, { pause: {} }];
const services = [service('stable'), service('canary')];

function updating(stage: Stage): Stage {
  stage.settle();
  stage.setImage('web:2');
  stage.settle();
  return stage;
}
const weights = (stage: Stage) => {
  const { canary, stable, verified } = stage.status.canary?.weights ?? {};
  return [canary?.weight, stable?.weight, verified];
};

const nginx = (canary: CanaryStrategy = {}) =>
  new Stage(
    rollout({ steps, trafficRouting: { nginx: { stableIngress: 'web' } }, ...canary }),
    ...services,
    ingress,
  );
const canaryWeight = (stage: Stage) =>
  stage.get('Ingress', 'web-web-canary')?.metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'];

test('vector 12: the weight of nginx follows the steps, and returns to 0 when the new version is the stable one', () => {
  const stage = updating(nginx());
  expect(canaryWeight(stage)).toBe('10');
  expect(weights(stage)).toEqual([10, 90, true]);
  expect(stage.pods).toEqual({ 'web:1': 5, 'web:2': 1 });
  const made = stage.get('Ingress', 'web-web-canary') as KubeObject<typeof ingress.spec>;
  expect(made.spec).toMatchObject({
    ingressClassName: 'nginx',
    rules: [{ host: 'shop.example.com', http: { paths: [{ backend: { service: { name: 'canary' } } }] } }],
  });
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  expect(canaryWeight(stage)).toBe('60');
  expect(stage.pods).toEqual({ 'web:1': 5, 'web:2': 3 });
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  expect(stage.status.phase).toBe('Healthy');
  expect(canaryWeight(stage)).toBe('0');
  expect([stage.selected('stable'), stage.selected('canary')]).toEqual(['web:2', 'web:2']);
  stage.wait(31);
  expect(stage.pods).toEqual({ 'web:2': 5 });
});

test.each([
  [undefined, 29, { 'web:1': 5, 'web:2': 1 }],
  [undefined, 31, { 'web:1': 5 }],
  [5, 6, { 'web:1': 5 }],
  [0, 3600, { 'web:1': 5, 'web:2': 1 }],
])(
  'vectors 17 and 19: with an abort delay of %s there are after %i s the pods %j',
  (delay, seconds, pods) => {
    const stage = updating(nginx(delay === undefined ? {} : { abortScaleDownDelaySeconds: delay }));
    stage.patchStatus({ abort: true });
    stage.settle();
    expect(canaryWeight(stage)).toBe('0');
    expect(stage.selected('canary')).toBe('web:1');
    stage.wait(seconds);
    expect(stage.pods).toEqual(pods);
  },
);

test('vector 31: with dynamicStableScale the stable pods follow the traffic, both ways', () => {
  const stage = updating(nginx({ dynamicStableScale: true, steps: [{ setWeight: 80 }, { pause: {} }] }));
  expect(weights(stage)).toEqual([80, 20, true]);
  expect(stage.pods).toEqual({ 'web:1': 1, 'web:2': 4 });
  stage.patchStatus({ abort: true });
  stage.settle();
  expect(canaryWeight(stage)).toBe('0');
  expect(stage.pods['web:1']).toBe(5);
});

test.each([
  [{ replicas: 3 }, 3],
  [{ weight: 80 }, 4],
])('vector 32: setCanaryScale %j makes %i pods without traffic', (setCanaryScale, pods) => {
  const stage = updating(
    nginx({
      steps: [
        { setCanaryScale },
        { pause: {} },
        { setCanaryScale: { matchTrafficWeight: true } },
        { setWeight: 20 },
        { pause: {} },
      ],
    }),
  );
  expect(stage.pods['web:2']).toBe(pods);
  expect(canaryWeight(stage)).toBe('0');
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
  expect(stage.pods['web:2']).toBe(1);
  expect(canaryWeight(stage)).toBe('20');
});

test('vector 33, RQ-4: a minimum of pods is capped by the size', () => {
  const stage = updating(nginx({ minPodsPerReplicaSet: 9 }));
  expect(stage.pods).toEqual({ 'web:1': 5, 'web:2': 5 });
});

test('RM-5: without the Ingress the Rollout says so and waits', () => {
  const stage = new Stage(
    rollout({ steps, trafficRouting: { nginx: { stableIngress: 'web' } } }),
    ...services,
  );
  stage.settle();
  expect(stage.status.message).toContain('ingress "web" not found');
  stage.put(ingress as KubeObject);
  stage.settle();
  expect(stage.status.phase).toBe('Healthy');
});

test('vector 38: weights of the Gateway API in two rules', () => {
  const backendRefs = [
    { name: 'stable', port: 80 },
    { name: 'canary', port: 80 },
  ];
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'web' },
    spec: { rules: [{ backendRefs }, { backendRefs: [...backendRefs, { name: 'other', weight: 1 }] }] },
  };
  const plugins = { 'argoproj-labs/gatewayAPI': { httpRoute: 'web', namespace: 'shop' } };
  const stage = updating(new Stage(rollout({ steps, trafficRouting: { plugins } }), ...services, route));
  const found = stage.get('HTTPRoute', 'web') as KubeObject<typeof route.spec>;
  expect(
    found.spec?.rules.map((rule) => rule.backendRefs.map((ref) => (ref as { weight?: number }).weight)),
  ).toEqual([
    [90, 10],
    [90, 10, 1],
  ]);
  expect(found.metadata.labels).toEqual({ 'rollouts.argoproj.io/gatewayapi-canary': 'in-progress' });
  stage.patchStatus({ abort: true });
  stage.settle();
  expect(stage.get('HTTPRoute', 'web')?.metadata.labels).toEqual({});
  expect(weights(stage)).toEqual([0, 100, true]);
});

const istioVersion = 'networking.istio.io/v1alpha3';
const virtual = {
  apiVersion: istioVersion,
  kind: 'VirtualService',
  metadata: { name: 'web' },
  spec: {
    http: [
      {
        name: 'primary',
        route: [
          { destination: { host: 'web', subset: 'stable' }, weight: 100 },
          { destination: { host: 'web', subset: 'canary' }, weight: 0 },
        ],
      },
    ],
  },
};
const rule = {
  apiVersion: istioVersion,
  kind: 'DestinationRule',
  metadata: { name: 'web' },
  spec: {
    subsets: [
      { name: 'stable', labels: {} },
      { name: 'canary', labels: {} },
    ],
  },
};
const istio = {
  virtualService: { name: 'web', routes: ['primary'] },
  destinationRule: { name: 'web', canarySubsetName: 'canary', stableSubsetName: 'stable' },
};

/** The image and the weight of the subset `canary`, and those of `stable`. */
function subsets(stage: Stage): [string, number][] {
  const found = stage.get('VirtualService', 'web') as KubeObject<typeof virtual.spec>;
  const labels = (stage.get('DestinationRule', 'web') as KubeObject<typeof rule.spec>).spec?.subsets;
  return ['canary', 'stable'].map((name) => {
    const label = labels?.find((one) => one.name === name)?.labels as Record<string, string> | undefined;
    const route = found.spec?.http[0]?.route.find(({ destination }) => destination.subset === name);
    return [stage.imageOfHash(label?.['rollouts-pod-template-hash']), route?.weight ?? 0];
  });
}

test('vector 39: Istio gets the hash of a subset before its weight', () => {
  const stage = updating(
    new Stage(rollout({ steps, trafficRouting: { istio } }), ...services, virtual, rule),
  );
  const found = stage.get('VirtualService', 'web') as KubeObject<typeof virtual.spec>;
  expect(found.spec?.http[0]?.route.map(({ weight }) => weight)).toEqual([90, 10]);
  expect(subsets(stage)).toEqual([
    ['web:2', 10],
    ['web:1', 90],
  ]);
  expect(stage.get('DestinationRule', 'web')?.metadata.annotations).toEqual({
    'argo-rollouts.argoproj.io/managed-by-rollouts': 'web',
  });
});

test('a router that this controller does not have is named', () => {
  const stage = new Stage(rollout({ steps, trafficRouting: { alb: { ingress: 'web' } } }), ...services);
  stage.settle();
  expect(stage.status.message).toContain(
    'trafficRouting.alb: this router is not supported by this controller',
  );
});

test('RT-8: at no moment does traffic go to a version without pods', () => {
  const stage = nginx({ steps: [{ setWeight: 20 }, { setWeight: 60 }, { setWeight: 100 }] });
  stage.settle();
  stage.setImage('web:2');
  for (let count = 0; count < 40; count += 1) {
    stage.pass();
    const weight = Number(canaryWeight(stage) ?? 0);
    if (weight > 0) expect(stage.pods[stage.selected('canary')] ?? 0).toBeGreaterThan(0);
    if (weight < 100) expect(stage.pods[stage.selected('stable')] ?? 0).toBeGreaterThan(0);
  }
  expect(stage.status.phase).toBe('Healthy');
});

test('RT-5: a third template takes the weight away before the subset names its pods', () => {
  const stage = updating(
    new Stage(rollout({ steps, trafficRouting: { istio } }), ...services, virtual, rule),
  );
  stage.setImage('web:3');
  const written = (): string[] => {
    const { writes } = stage.plan();
    return writes.flatMap((write) => (write.verb === 'patch' ? [write.ref.kind] : []));
  };
  while (!written().includes('DestinationRule')) stage.pass();
  expect(written().filter((kind) => kind !== 'ReplicaSet')).toEqual(['VirtualService', 'DestinationRule']);
});

test('RT-8: at no moment does traffic go to a subset of Istio without pods, also with a third template', () => {
  const stage = new Stage(
    rollout({ steps: [{ setWeight: 20 }, { setWeight: 60 }, { pause: {} }], trafficRouting: { istio } }),
    ...services,
    virtual,
    rule,
  );
  stage.settle();
  for (const image of ['web:2', 'web:3']) {
    stage.setImage(image);
    // one write at a time, as if the process died after each
    for (let count = 0; count < 80; count += 1) {
      stage.pass(1);
      for (const [subset, weight] of subsets(stage))
        if (weight > 0) expect([subset, stage.pods[subset] ?? 0]).not.toEqual([subset, 0]);
    }
    expect(subsets(stage)).toEqual([
      [image, 60],
      ['web:1', 40],
    ]);
  }
});

const canaryIngress = (stage: Stage) =>
  stage.get('Ingress', 'web-web-canary') as KubeObject<typeof ingress.spec>;
const prefix = 'nginx.ingress.kubernetes.io';

test.each([
  ['canary-by-header', undefined, `${prefix}/canary-by-header`],
  [`${prefix}/canary-by-header`, undefined, `${prefix}/canary-by-header`],
  ['canary-by-header', 'shop.example.com', 'shop.example.com/canary-by-header'],
])('nginx: the additional annotation %s with the prefix %s is %s', (key, annotationPrefix, written) => {
  const more = {
    ...(annotationPrefix && { annotationPrefix }),
    additionalIngressAnnotations: { [key]: 'x' },
  };
  const stage = updating(nginx({ trafficRouting: { nginx: { stableIngress: 'web', ...more } } }));
  const { annotations = {} } = canaryIngress(stage).metadata;
  expect(Object.keys(annotations).filter((name) => name.endsWith('canary-by-header'))).toEqual([written]);
});

test('nginx: a rule that uses the stable Service is copied whole, and a rule that does not is left out', () => {
  const path = (name: string) => ({
    path: `/${name}`,
    pathType: 'Prefix',
    backend: { service: { name, port: { number: 80 } } },
  });
  const rules = [
    { host: 'shop.example.com', http: { paths: [path('stable'), path('images')] } },
    { host: 'images.example.com', http: { paths: [path('images')] } },
  ];
  const stage = new Stage(
    rollout({ steps, trafficRouting: { nginx: { stableIngress: 'web' } } }),
    ...services,
    { ...ingress, spec: { ...ingress.spec, rules } },
  );
  updating(stage);
  const copied = canaryIngress(stage).spec?.rules.map(({ host, http }) => [
    host,
    ...http.paths.map(({ path: at, backend }) => `${at} ${backend.service.name}`),
  ]);
  expect(copied).toEqual([['shop.example.com', '/stable canary', '/images images']]);
});

test('nginx: the canary Ingress of another owner is not written, and the Rollout names it', () => {
  const foreign = { ...ingress, metadata: { name: 'web-web-canary' } };
  const stage = new Stage(
    rollout({ steps, trafficRouting: { nginx: { stableIngress: 'web' } } }),
    ...services,
    ingress,
    foreign,
  );
  updating(stage);
  expect(canaryIngress(stage).metadata.annotations).toBeUndefined();
  expect(stage.status.message).toContain('canary ingress "web-web-canary" controlled by different object');
  stage.objects.delete('Ingress/web-web-canary');
  stage.settle();
  expect([stage.status.phase, canaryWeight(stage)]).toEqual(['Healthy', '0']);
});
