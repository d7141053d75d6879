import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type DeliveryGround, deliveryGround, namespace } from '../../../../test/delivery-ground.ts';
import { type PrometheusServer, prometheusServer } from '../../../../test/prometheus-server.ts';

// A controller that dies after any of its writes, endpoints that fail or lie, and Rollouts that change under way. Time is virtual.

let ground: DeliveryGround;
beforeEach(async () => {
  ground = await deliveryGround();
});
afterEach(() => ground.stop());

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});
const rollout = (strategy: object, more: object = {}) =>
  ground.create('Rollout', 'web', {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: template('web:1'),
    strategy,
    ...more,
  });
const service = (name: string, on = ground) =>
  on.kube.create(on.ctx, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  } as KubeObject);
const update = (image = 'web:2') => ground.patch({ spec: { template: template(image) } });
const status = async () => (await ground.rollout()).status ?? {};

/** The pods by image, the hashes that Services select, and the state of the Rollout: all that users see of the end. */
async function ending() {
  const sets = await ground.replicaSets();
  const pods = Object.fromEntries(
    sets.map(({ spec, status: is }) => [
      /web:\d/.exec(JSON.stringify(spec?.template))?.[0] ?? '',
      `${spec?.replicas} ${is?.availableReplicas ?? 0}`,
    ]),
  );
  const services = (await ground.kube.list(ground.ctx, { apiVersion: 'v1', kind: 'Service', namespace }))
    .items;
  const selected = services.map(({ metadata, spec }) => [
    metadata.name,
    (spec as { selector?: Record<string, string> }).selector?.['rollouts-pod-template-hash'],
  ]);
  const { phase, stableRS, currentPodHash, currentStepIndex } = await status();
  const runs = (await ground.runs()).map(({ metadata, status: of }) => `${metadata.name} ${of?.phase}`);
  return { pods, selected, phase, stableRS, currentPodHash, currentStepIndex, runs: runs.toSorted() };
}

/** Every step of an update is taken once: what a run has measured, and how often a step was completed. */
const completed = async () =>
  (await ground.events())
    .filter(({ reason }) => reason === 'RolloutStepCompleted')
    .map(({ message, count }) => `${message} ×${count}`)
    .toSorted();

const canary = {
  canary: {
    canaryService: 'canary',
    stableService: 'stable',
    steps: [
      { setWeight: 25 },
      { pause: { duration: '1m' } },
      { analysis: { templates: [{ templateName: 'rate' }] } },
      { setWeight: 75 },
    ],
  },
};
const blueGreen = {
  blueGreen: {
    activeService: 'stable',
    previewService: 'canary',
    autoPromotionSeconds: 30,
    scaleDownDelaySeconds: 60,
    prePromotionAnalysis: { templates: [{ templateName: 'rate' }] },
  },
};

describe('vector 60: a controller that dies after any of its writes', () => {
  let prometheus: PrometheusServer;
  beforeEach(async () => {
    prometheus = await prometheusServer();
  });
  afterEach(() => prometheus.close());

  const measured = () =>
    ground.create('AnalysisTemplate', 'rate', {
      metrics: [
        {
          name: 'rate',
          successCondition: 'result[0] > 0.5',
          provider: { prometheus: { address: prometheus.url, query: 'rate' } },
        },
      ],
    });

  /** The whole update, with the controllers killed after every `writes` writes and started again. */
  async function play(strategy: object, writes: number | undefined) {
    await Promise.all([service('canary'), service('stable'), measured()]);
    await rollout(strategy);
    let stop = ground.start();
    await ground.pass(5);
    await stop();
    await update();
    for (let lives = 0; lives < 120; lives += 1) {
      stop = ground.start(writes === undefined ? {} : { writes });
      await ground.pass(writes === undefined ? 200 : 2);
      await stop();
      const { metadata, status: is } = await ground.rollout();
      // the verdict about the version before the update does not count
      if (is?.observedGeneration === String(metadata.generation) && is.phase === 'Healthy') break;
    }
    stop = ground.start();
    await ground.pass(120);
    await stop();
    return { end: await ending(), queries: prometheus.queries.length };
  }

  test.each([
    ['canary', canary],
    ['blue-green', blueGreen],
  ])(
    'loses no step of a %s and takes none twice',
    async (_name, strategy) => {
      const whole = await play(strategy, undefined);
      const steps = await completed();
      expect(whole.end).toMatchObject({ phase: 'Healthy' });
      expect(whole.end.pods).toMatchObject({ 'web:2': '4 4' });
      expect(whole.queries).toBe(1);
      for (const writes of [1, 3]) {
        await ground.stop();
        ground = await deliveryGround();
        prometheus.queries.length = 0;
        expect(await play(strategy, writes)).toEqual({ ...whole, queries: expect.any(Number) });
        // a measurement whose result was not written is taken again; its verdict counts once
        expect((await ground.runs())[0]?.status?.metricResults?.[0]).toMatchObject({
          count: 1,
          successful: 1,
        });
        for (const step of await completed()) expect(steps).toContain(step);
      }
    },
    120_000,
  );
});

describe('an endpoint of metrics', () => {
  let server: Server | undefined;
  let answer: (respond: (text: string, code?: number) => void) => void = () => {};
  let address = '';
  beforeEach(async () => {
    server = createServer((_request, response) =>
      answer((text, code = 200) =>
        response.writeHead(code, { 'content-type': 'application/json' }).end(text),
      ),
    );
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });
  const body = (data: unknown) => JSON.stringify({ status: 'success', data });
  const vector = (...values: string[]) =>
    body({ resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) });

  /** One analysis of a canary, with the condition of the seeds. */
  async function analysed(of: string, more: object = {}): Promise<void> {
    await ground.create('AnalysisTemplate', 'rate', {
      metrics: [
        {
          name: 'rate',
          successCondition: 'result[0] >= 0.95',
          provider: { prometheus: { address: of, query: 'rate', ...more } },
        },
      ],
    });
    await rollout({
      canary: { steps: [{ setWeight: 25 }, { analysis: { templates: [{ templateName: 'rate' }] } }] },
    });
    ground.start();
    await ground.pass();
    await update();
    await ground.pass(90);
  }

  test.each([
    ['is unreachable', undefined, 'is unreachable'],
    [
      'fails',
      (respond: (text: string, code?: number) => void) =>
        respond('{"status":"error","error":"out of memory"}', 500),
      'out of memory',
    ],
    ['has nothing', (respond: (text: string) => void) => respond(vector()), 'empty'],
    [
      'answers a text',
      (respond: (text: string) => void) => respond(body({ resultType: 'string', result: [1, 'x'] })),
      'string',
    ],
    ['answers HTML', (respond: (text: string) => void) => respond('<html>sign in</html>'), 'rate'],
    ['is slow', () => {}, 'is unreachable'],
  ])('that %s aborts after five errors and never promotes', async (_what, respond, cause) => {
    if (respond) answer = respond;
    const isSlow = _what === 'is slow';
    await analysed(respond ? address : 'http://127.0.0.1:1', isSlow ? { timeout: 0.2 } : {});
    const { phase, message, stableRS, currentPodHash } = await status();
    expect({ phase, isPromoted: stableRS === currentPodHash }).toEqual({
      phase: 'Degraded',
      isPromoted: false,
    });
    expect(message).toContain('consecutiveErrors (5) > consecutiveErrorLimit (4)');
    expect(message).toContain(cause);
    expect((await ending()).pods).toMatchObject({ 'web:1': '4 4', 'web:2': '0 0' });
  });

  test('that answers NaN fails the comparison: NaN is no success', async () => {
    answer = (respond) => respond(vector('NaN'));
    await analysed(address);
    expect((await status()).message).toContain('assessed Failed due to failed (1) > failureLimit (0)');
  });
});

test('a Rollout that is deleted in the middle of a step is left to the garbage collector', async () => {
  await service('stable');
  await rollout({ canary: { stableService: 'stable', steps: [{ setWeight: 25 }, { pause: {} }] } });
  ground.start();
  await ground.pass();
  await update();
  await ground.pass();
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name: 'web' };
  await ground.kube.delete(ground.ctx, ref, { propagationPolicy: 'Background' });
  await ground.pass(5);
  expect(await ground.replicaSets()).toEqual([]);
  const { spec } = await ground.kube.get(ground.ctx, {
    apiVersion: 'v1',
    kind: 'Service',
    namespace,
    name: 'stable',
  });
  expect(spec).toMatchObject({ selector: { app: 'web' } });
  expect(JSON.stringify(spec)).not.toContain('rollouts-pod-template-hash');
});

test('a Rollout that is edited in the middle starts over with the new steps, and with a third template', async () => {
  const steps = [{ setWeight: 25 }, { pause: {} }];
  await rollout({ canary: { steps } });
  ground.start();
  await ground.pass();
  await update();
  await ground.pass();
  await ground.patch({ spec: { strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } } });
  await ground.pass();
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
  expect((await ending()).pods).toMatchObject({ 'web:1': '2 2', 'web:2': '2 2' });
  await update('web:3');
  await ground.pass(40);
  expect(await status()).toMatchObject({ phase: 'Paused', currentStepIndex: 1 });
  expect((await ending()).pods).toEqual({ 'web:1': '2 2', 'web:2': '0 0', 'web:3': '2 2' });
});

test('two controllers at once end where one does', async () => {
  await Promise.all([service('canary'), service('stable')]);
  await rollout({
    canary: {
      canaryService: 'canary',
      stableService: 'stable',
      steps: [{ setWeight: 50 }, { pause: { duration: 10 } }],
    },
  });
  ground.start();
  ground.start();
  await ground.pass(5);
  await update();
  await ground.pass(60);
  const { pods, phase, currentStepIndex } = await ending();
  expect({ pods, phase, currentStepIndex }).toEqual({
    pods: { 'web:1': '0 0', 'web:2': '4 4' },
    phase: 'Healthy',
    currentStepIndex: 2,
  });
  expect((await ground.replicaSets()).length).toBe(2);
});

test('RQ-13: a pass that fails for thirty seconds is a condition of the Rollout, until one succeeds', async () => {
  await rollout({
    canary: { trafficRouting: { nginx: { stableIngress: 'web' } }, canaryService: 'c', stableService: 's' },
  });
  ground.cluster.faults.set(
    [
      {
        match: { verbs: ['get'], resources: ['ingresses'] },
        effect: { error: 500, message: 'etcd is full' },
      },
    ],
    1,
  );
  ground.start();
  await ground.pass(20);
  expect(await status()).not.toMatchObject({ phase: 'Degraded' });
  await ground.pass(60);
  expect(await status()).toMatchObject({
    phase: 'Degraded',
    message: expect.stringMatching(/^ReconciliationError: .*etcd is full/),
  });
  ground.cluster.faults.set([], 1);
  await ground.pass(400);
  expect((await status()).message).not.toContain('etcd is full');
});

test('RH-5: ReplicaSets without a controller are adopted, and those that match no more are released', async () => {
  await rollout({ canary: {} });
  ground.start();
  await ground.pass();
  const [set] = await ground.replicaSets();
  const ref = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace, name: set?.metadata.name ?? '' };
  const owners = async () => (await ground.kube.get(ground.ctx, ref)).metadata.ownerReferences ?? [];
  await ground.kube.patch(ground.ctx, ref, { type: 'merge', body: { metadata: { ownerReferences: null } } });
  await ground.pass();
  expect(await owners()).toMatchObject([{ kind: 'Rollout', name: 'web', controller: true }]);
  expect(await ground.replicaSets()).toHaveLength(1);
  expect(await status()).toMatchObject({ phase: 'Healthy' });
  await ground.kube.patch(ground.ctx, ref, {
    type: 'merge',
    body: { metadata: { labels: { app: 'other' } } },
  });
  await ground.pass();
  expect(await owners()).toEqual([]);
});
