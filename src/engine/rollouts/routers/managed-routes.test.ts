import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import type { CanaryStep, CanaryStrategy, RolloutSpec } from '../rollout.ts';
import { Stage } from '../stage.ts';
import { staticProblem } from '../validate.ts';
import type { RouteRule } from './gateway-routes.ts';
import type { HttpRoute } from './istio-routes.ts';

type Routing = NonNullable<CanaryStrategy['trafficRouting']>;

const rollout = (steps: CanaryStep[], trafficRouting: Routing, spec: Partial<RolloutSpec> = {}) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 8080 }] }] },
    },
    strategy: { canary: { stableService: 'stable', canaryService: 'canary', trafficRouting, steps } },
    ...spec,
  },
});
const services = ['stable', 'canary'].map((name) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
}));
const managedRoutes = [{ name: 'by-header' }, { name: 'mirrored' }];
const byHeader: CanaryStep = {
  setHeaderRoute: {
    name: 'by-header',
    match: [
      { headerName: 'x-new', headerValue: { exact: 'yes' } },
      { headerName: 'agent', headerValue: { prefix: 'a.b' } },
    ],
  },
};
const mirrored: CanaryStep = {
  setMirrorRoute: {
    name: 'mirrored',
    percentage: 35,
    match: [{ method: { exact: 'GET' }, path: { prefix: '/' }, headers: { beta: { regex: '.+' } } }],
  },
};
const scaled: CanaryStep = { setCanaryScale: { replicas: 1 } };
const promote = (stage: Stage) => {
  stage.patchStatus({ pauseConditions: null });
  stage.settle();
};
const update = (stage: Stage, image = 'web:2'): Stage => {
  stage.setImage(image);
  stage.settle();
  return stage;
};

describe('Istio', () => {
  const apiVersion = 'networking.istio.io/v1alpha3';
  const virtual = (destinations: object[]) => ({
    apiVersion,
    kind: 'VirtualService',
    metadata: { name: 'web' },
    spec: {
      http: [
        { name: 'other', route: [{ destination: { host: 'x' } }] },
        { name: 'primary', route: destinations },
      ],
    },
  });
  const hosts = virtual([
    { destination: { host: 'stable.shop.svc', port: { number: 80 } }, weight: 100 },
    { destination: { host: 'canary' }, weight: 0 },
  ]);
  const istio = { virtualService: { name: 'web', routes: ['primary'] } };
  const started = (steps: CanaryStep[], more: Partial<Routing> = {}, ...objects: object[]) => {
    const stage = new Stage(
      rollout(steps, { istio, managedRoutes, ...more }),
      ...services,
      ...(objects.length > 0 ? objects : [hosts]),
    );
    stage.settle();
    return stage;
  };
  const http = (stage: Stage) =>
    (stage.get('VirtualService', 'web') as KubeObject<{ http: HttpRoute[] }>).spec?.http ?? [];
  const routeNames = (stage: Stage) => http(stage).map(({ name }) => name);

  test('a header route goes before all others, to the new version on the port of the weighted route', () => {
    const stage = started([scaled, byHeader, { pause: {} }, { setWeight: 25 }, { pause: {} }]);
    expect(routeNames(stage)).toEqual(['other', 'primary']);
    update(stage);
    expect(http(stage)[0]).toEqual({
      name: 'by-header',
      match: [{ headers: { 'x-new': { exact: 'yes' } } }, { headers: { agent: { prefix: 'a.b' } } }],
      route: [{ destination: { host: 'canary', port: { number: 80 } }, weight: 100 }],
    });
    expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 2 });
    promote(stage);
    expect(http(stage)[0]?.route?.[0]?.weight).toBe(100);
    expect(http(stage)[2]?.route?.map(({ weight }) => weight)).toEqual([75, 25]);
    promote(stage);
    expect([stage.status.phase, routeNames(stage)]).toEqual(['Healthy', ['other', 'primary']]);
  });

  test('a mirror has the weights of the weighted route, and follows them', () => {
    const stage = update(
      started([{ setWeight: 25 }, mirrored, byHeader, { pause: {} }, { setWeight: 50 }, { pause: {} }]),
    );
    expect(routeNames(stage)).toEqual(['by-header', 'mirrored', 'other', 'primary']);
    expect(http(stage)[1]).toEqual({
      name: 'mirrored',
      match: [{ method: { exact: 'GET' }, uri: { prefix: '/' }, headers: { beta: { regex: '.+' } } }],
      route: [
        { destination: { host: 'stable.shop.svc', port: { number: 80 } }, weight: 75 },
        { destination: { host: 'canary' }, weight: 25 },
      ],
      mirror: { host: 'canary', port: { number: 80 } },
      mirrorPercentage: { value: 35 },
    });
    promote(stage);
    expect(http(stage)[1]?.route?.map(({ weight }) => weight)).toEqual([50, 50]);
  });

  test('a step without a match removes its route', () => {
    const stage = update(
      started([
        scaled,
        byHeader,
        mirrored,
        { pause: {} },
        { setHeaderRoute: { name: 'by-header' } },
        { pause: {} },
      ]),
    );
    expect(routeNames(stage)).toEqual(['by-header', 'mirrored', 'other', 'primary']);
    promote(stage);
    expect(routeNames(stage)).toEqual(['mirrored', 'other', 'primary']);
  });

  test.each([
    ['an abort', (stage: Stage) => stage.patchStatus({ abort: true })],
    ['a full promotion', (stage: Stage) => stage.patchStatus({ promoteFull: true })],
    [
      'another template without pods',
      (stage: Stage) => {
        stage.broken.add('web:3');
        stage.setImage('web:3');
      },
    ],
  ])('RQ-15: %s removes the managed routes and no others', (_what, act) => {
    const stage = update(started([scaled, byHeader, { pause: {} }]));
    expect(routeNames(stage)).toEqual(['by-header', 'other', 'primary']);
    act(stage);
    stage.settle();
    expect(routeNames(stage)).toEqual(['other', 'primary']);
  });

  test('a deleted route is written again, and a step waits for a stable version that can carry', () => {
    const stage = update(started([scaled, byHeader, { pause: {} }]));
    stage.put(hosts as KubeObject);
    stage.settle();
    expect(routeNames(stage)).toEqual(['by-header', 'other', 'primary']);
    const slow = started([scaled, byHeader, { pause: {} }]);
    slow.ready.set('web:1', 1);
    update(slow);
    expect(slow.status.currentStepIndex).toBe(1);
    expect(routeNames(slow)).toEqual(['other', 'primary']);
    slow.ready.delete('web:1');
    slow.settle();
    expect(slow.status.currentStepIndex).toBe(2);
    expect(routeNames(slow)).toEqual(['by-header', 'other', 'primary']);
  });

  test('with a DestinationRule the host is that of the rule, with the subset of the new version', () => {
    const subsets = virtual([
      { destination: { host: 'web', subset: 'stable' }, weight: 100 },
      { destination: { host: 'web', subset: 'canary' }, weight: 0 },
    ]);
    const rule = {
      apiVersion,
      kind: 'DestinationRule',
      metadata: { name: 'web' },
      spec: { host: 'web.shop.svc', subsets: [{ name: 'stable' }, { name: 'canary' }] },
    };
    const destinationRule = { name: 'web', canarySubsetName: 'canary', stableSubsetName: 'stable' };
    const stage = update(
      started([scaled, byHeader, { pause: {} }], { istio: { ...istio, destinationRule } }, subsets, rule),
    );
    expect(http(stage)[0]?.route).toEqual([
      { destination: { host: 'web.shop.svc', subset: 'canary' }, weight: 100 },
    ]);
  });

  test('RX-3: the templates of an experiment get their weights while it runs, and nothing after it', () => {
    const experiment = {
      duration: '5m',
      templates: [
        { name: 'a', specRef: 'stable' as const, weight: 10, metadata: { labels: { of: 'a' } } },
        {
          name: 'b',
          specRef: 'canary' as const,
          weight: 15,
          metadata: { labels: { of: 'b' } },
          service: { name: 'bees' },
        },
      ],
    };
    const stage = update(started([{ setWeight: 25 }, { experiment }, { pause: {} }]));
    const name = `web-${stage.status.currentPodHash}-2-1`;
    const shares = () =>
      http(stage)
        .find((one) => one.name === 'primary')
        ?.route?.map(({ destination, weight }) => `${destination?.host} ${weight}`);
    expect(shares()).toEqual(['stable.shop.svc 50', 'canary 25', `${name}-a 10`, 'bees 15']);
    expect(stage.status.canary?.weights).toMatchObject({
      canary: { weight: 25 },
      stable: { weight: 50 },
      additional: [
        { weight: 10, serviceName: `${name}-a`, podTemplateHash: expect.any(String) },
        { weight: 15, serviceName: 'bees' },
      ],
      verified: true,
    });
    stage.wait(301);
    expect(stage.status).toMatchObject({ phase: 'Paused', currentStepIndex: 2 });
    expect(shares()).toEqual(['stable.shop.svc 75', 'canary 25']);
    expect(stage.status.canary?.weights).not.toHaveProperty('additional');
  });
});

describe('the Gateway API', () => {
  const backendRefs = [
    { name: 'stable', port: 80 },
    { name: 'canary', port: 81 },
  ];
  const route = (name: string, kind = 'HTTPRoute') => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind,
    metadata: { name },
    spec: {
      rules: [
        { matches: [{ path: { type: 'Exact', value: '/old' } }], filters: [{ type: 'RequestRedirect' }] },
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          filters: [{ type: 'URLRewrite' }],
          backendRefs,
        },
      ],
    },
  });
  const plugins = (settings: object) => ({ 'argoproj-labs/gatewayAPI': settings });
  const started = (settings: object, steps: CanaryStep[], ...objects: object[]) => {
    const stage = new Stage(
      rollout(steps, { plugins: plugins(settings), managedRoutes }),
      ...services,
      ...objects,
    );
    stage.settle();
    return stage;
  };
  const rules = (stage: Stage, name = 'web', kind = 'HTTPRoute') =>
    (stage.get(kind, name) as KubeObject<{ rules: RouteRule[] }>).spec?.rules ?? [];
  const steps = [scaled, byHeader, { pause: {} }, { setWeight: 25 }, { pause: {} }];

  test('a header route is a rule with a name, whose weight no step changes', () => {
    const stage = update(started({ httpRoute: 'web' }, steps, route('web')));
    const rule = {
      name: 'by-header',
      matches: [
        {
          path: { type: 'PathPrefix', value: '/' },
          headers: [
            { name: 'x-new', type: 'Exact', value: 'yes' },
            { name: 'agent', type: 'RegularExpression', value: 'a\\.b.*' },
          ],
        },
      ],
      filters: [{ type: 'URLRewrite' }],
      backendRefs: [{ group: '', kind: 'Service', name: 'canary', port: 81, weight: 1 }],
    };
    expect(rules(stage)[0]).toEqual(rule);
    expect(rules(stage)).toHaveLength(3);
    promote(stage);
    expect(rules(stage)[0]).toEqual(rule);
    expect(rules(stage)[1]).not.toHaveProperty('backendRefs');
    expect(rules(stage)[2]?.backendRefs?.map(({ weight }) => weight)).toEqual([75, 25]);
    promote(stage);
    expect(rules(stage).map(({ name }) => name)).toEqual([undefined, undefined]);
    expect(stage.status.phase).toBe('Healthy');
  });

  test('useHeaderRoutes says which of several routes have it, GRPCRoutes among them', () => {
    const settings = {
      httpRoutes: [{ name: 'web', useHeaderRoutes: true }, { name: 'plain' }],
      grpcRoutes: [{ name: 'calls', useHeaderRoutes: true }],
    };
    const stage = update(started(settings, steps, route('web'), route('plain'), route('calls', 'GRPCRoute')));
    expect(rules(stage)[0]?.name).toBe('by-header');
    expect(rules(stage, 'plain')).toHaveLength(2);
    expect(rules(stage, 'calls', 'GRPCRoute')[0]?.name).toBe('by-header');
  });

  test('a cluster whose Gateway API has no names of rules gets the rule once, and loses it at the end', () => {
    const stage = started({ httpRoute: 'web' }, steps, route('web'));
    const put = stage.put.bind(stage);
    stage.put = (object) =>
      put(
        object.kind === 'HTTPRoute'
          ? {
              ...object,
              spec: {
                rules: (object.spec as { rules: RouteRule[] }).rules.map(({ name: _name, ...rest }) => rest),
              },
            }
          : object,
      );
    update(stage);
    expect(rules(stage)).toHaveLength(3);
    promote(stage);
    promote(stage);
    expect([stage.status.phase, rules(stage).length]).toEqual(['Healthy', 2]);
  });

  test('RX-3: the Services of an experiment are backends while it runs', () => {
    const experiment = {
      duration: '1m',
      templates: [{ name: 'a', specRef: 'stable' as const, weight: 10, metadata: { labels: { of: 'a' } } }],
    };
    const stage = update(started({ httpRoute: 'web' }, [{ experiment }, { pause: {} }], route('web')));
    const name = `web-${stage.status.currentPodHash}-2-0-a`;
    expect(rules(stage)[1]?.backendRefs).toEqual([
      { name: 'stable', port: 80, weight: 90 },
      { name: 'canary', port: 81, weight: 0 },
      { group: '', kind: 'Service', name, port: 8080, weight: 10 },
    ]);
    stage.wait(61);
    expect(rules(stage)[1]?.backendRefs).toHaveLength(2);
  });

  test('header routes without a route for them are refused', () => {
    const stage = started({ httpRoutes: [{ name: 'web' }] }, steps, route('web'));
    expect(stage.status.message).toContain(
      'no route carries the header routes of the steps: set useHeaderRoutes',
    );
  });
});

const nginx: Routing = { nginx: { stableIngress: 'web' }, managedRoutes };
const istio: Routing = { istio: { virtualService: { name: 'web' } }, managedRoutes };
const gateway: Routing = { plugins: { 'argoproj-labs/gatewayAPI': { httpRoute: 'web' } }, managedRoutes };
const headers = (match: object[]) => ({ setHeaderRoute: { name: 'by-header', match } }) as CanaryStep;

test.each<[string, CanaryStep, Routing, string]>([
  ['headers with nginx', byHeader, nginx, 'setHeaderRoute: needs trafficRouting by istio or by the plugin'],
  ['a mirror with nginx', mirrored, nginx, 'setMirrorRoute: needs trafficRouting by istio'],
  ['a mirror with the Gateway API', mirrored, gateway, 'setMirrorRoute: needs trafficRouting by istio'],
  ['a route that is not managed', { setHeaderRoute: { name: 'x' } }, istio, "managedRoutes: 'x'"],
  ['no managed routes', byHeader, { istio: {} }, "managedRoutes: 'by-header'"],
  ['no value', headers([{ headerName: 'a' }]), istio, 'match[0].headerValue: set exactly one of'],
  [
    'two values',
    headers([{ headerName: 'a', headerValue: { exact: 'a', regex: 'b' } }]),
    gateway,
    'match[0].headerValue',
  ],
  ['no name of a header', headers([{ headerValue: { exact: 'a' } }]), istio, 'match[0].headerName'],
  [
    'too much of a mirror',
    { setMirrorRoute: { name: 'mirrored', percentage: 101 } },
    istio,
    'percentage: must be between 0 and 100',
  ],
])('RV-2: %s is refused by name', (_what, step, routing, message) => {
  expect(staticProblem(rollout([step], routing))).toContain(`spec.strategy.canary.steps[0].`);
  expect(staticProblem(rollout([step], routing))).toContain(message);
});

test('a managed route that is a route of the VirtualService is refused: it would be deleted', () => {
  const virtualService = {
    apiVersion: 'networking.istio.io/v1alpha3',
    kind: 'VirtualService',
    metadata: { name: 'web' },
    spec: { http: [] },
  };
  const routing = { istio: { virtualService: { name: 'web', routes: ['by-header'] } }, managedRoutes };
  const stage = new Stage(rollout([byHeader], routing), ...services, virtualService);
  stage.settle();
  expect(stage.status.message).toContain(
    "managedRoutes: 'by-header' is a route of the VirtualService already",
  );
});
