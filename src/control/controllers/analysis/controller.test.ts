import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asKubeObject, encodeBase64Text, type KubeObject } from '#base/model';
import { type Ctx, FairleadError, parseJson, realClock, runAll, silent } from '#base/std';
import { createCluster, type EmbeddedCluster, runSimulation } from '#embedded';
import type { AnalysisRun, Rollout } from '#engine/rollouts';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { type PrometheusServer, prometheusServer } from '../../../../test/prometheus-server.ts';
import { createEventRecorder } from '../application/status/event-recorder.ts';
import { rolloutController } from '../rollout/controller.ts';
import { RolloutInformers } from '../rollout/informers.ts';
import { analysisController } from './controller.ts';
import type { MetricAnswer, MetricRequest } from './providers/provider.ts';

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'default';
let cluster: EmbeddedCluster;
let kube: KubeClient;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<void>;
let prometheus: PrometheusServer;

/** Plain requests to loopback: which addresses may be reached is decided by the program that wires the controller. */
async function request(_ctx: Ctx, { url, method, headers, body, ms }: MetricRequest): Promise<MetricAnswer> {
  try {
    const answer = await fetch(url, {
      ...(method && { method }),
      ...(headers && { headers }),
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(ms),
    });
    const found = Object.fromEntries(answer.headers);
    return { status: answer.status, headers: found, body: new Uint8Array(await answer.arrayBuffer()) };
  } catch (error) {
    throw new FairleadError('Unavailable', `${url.host} is unreachable`, error);
  }
}

beforeEach(async () => {
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  prometheus = await prometheusServer();
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (one) => cluster.handle(one) });
  for (const item of parseJson(readFileSync('deploy/rollouts/definitions.json', 'utf8')) as unknown[])
    await kube.apply(ctx, asKubeObject(item, 'definitions'), { fieldManager: 'test', force: true });
  const informers = new RolloutInformers(kube);
  const events = createEventRecorder({ kube, component: 'rollouts-controller' });
  const deps = { kube, informers, events, request };
  running = runAll(ctx, [
    (inner) => runSimulation(inner, cluster.objects, { pace: 'instant', runForMs: 10 }),
    (inner) => informers.run(inner),
    rolloutController(deps),
    analysisController(deps),
  ]);
});
afterEach(async () => {
  stop.abort();
  await running.catch(() => {});
  await cluster.close();
  await prometheus.close();
});

const create = (kind: string, name: string, spec: object, more: object = {}) =>
  kube.create(ctx, { apiVersion, kind, metadata: { name, namespace }, spec, ...more } as KubeObject);
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});
const analysisTemplate = (successCondition = 'result[0] >= 0.95') =>
  create('AnalysisTemplate', 'success-rate', {
    args: [{ name: 'service-name' }],
    metrics: [
      {
        name: 'success-rate',
        successCondition,
        provider: { prometheus: { address: prometheus.url, query: 'rate{service="{{args.service-name}}"}' } },
      },
    ],
  });
const rollout = (canary: object) =>
  create('Rollout', 'web', {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: template('web:1'),
    strategy: { canary },
  });
const ref = { apiVersion, kind: 'Rollout', namespace, name: 'web' };
const reaches = (status: object) =>
  expect
    .poll(async () => ((await kube.get(ctx, ref)) as Rollout).status, { timeout: 15_000 })
    .toMatchObject(status);
const promotedAfter = async (work: () => Promise<unknown>) => {
  const before = ((await kube.get(ctx, ref)) as Rollout).status?.stableRS;
  await work();
  const stable = async () => ((await kube.get(ctx, ref)) as Rollout).status?.stableRS;
  await expect.poll(stable, { timeout: 15_000 }).not.toBe(before);
};
const update = () => kube.patch(ctx, ref, { type: 'merge', body: { spec: { template: template('web:2') } } });
const runs = async () =>
  (await kube.list(ctx, { apiVersion, kind: 'AnalysisRun', namespace })).items as AnalysisRun[];

const analysis = {
  templates: [{ templateName: 'success-rate' }],
  args: [{ name: 'service-name', value: 'web-canary' }],
};

test('a good metric lets the canary go on, with its query and value in the run', async () => {
  await analysisTemplate();
  await rollout({ steps: [{ setWeight: 50 }, { analysis }] });
  await reaches({ phase: 'Healthy' });
  await promotedAfter(update);
  const [run] = await runs();
  expect(run?.status).toMatchObject({
    phase: 'Successful',
    metricResults: [
      {
        metadata: { ResolvedPrometheusQuery: 'rate{service="web-canary"}' },
        measurements: [{ value: '[1]' }],
      },
    ],
  });
  expect(run?.metadata.labels).toMatchObject({ 'rollout-type': 'Step', 'step-index': '1' });
});

test('RA-20: a bad metric returns to the stable version and says why', async () => {
  await analysisTemplate();
  await rollout({ steps: [{ setWeight: 50 }, { analysis }] });
  await reaches({ phase: 'Healthy' });
  prometheus.answer(0.5);
  await update();
  await reaches({
    phase: 'Degraded',
    abort: true,
    message: expect.stringContaining(
      'Metric "success-rate" assessed Failed due to failed (1) > failureLimit (0); value [0.5], successCondition result[0] >= 0.95',
    ),
  });
  const { items } = await kube.list(ctx, { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace });
  await expect
    .poll(async () =>
      (await kube.list(ctx, { apiVersion: 'v1', kind: 'Pod', namespace })).items.map(
        ({ spec }) => (spec as { containers: { image: string }[] }).containers[0]?.image,
      ),
    )
    .toEqual(['web:1', 'web:1']);
  expect(items).toHaveLength(2);
});

test('a background analysis that fails aborts during a pause', async () => {
  await analysisTemplate();
  await rollout({ analysis, steps: [{ setWeight: 50 }, { pause: {} }] });
  await reaches({ phase: 'Healthy' });
  prometheus.answer('NaN');
  await update();
  await reaches({ phase: 'Degraded', message: expect.stringContaining('Background analysis') });
});

test('RM-2: an argument service-name without a value is the Service under test', async () => {
  await kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web-canary', namespace },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  } as KubeObject);
  await analysisTemplate();
  await rollout({
    canaryService: 'web-canary',
    steps: [{ setWeight: 50 }, { analysis: { templates: analysis.templates } }],
  });
  await reaches({ phase: 'Healthy' });
  await promotedAfter(update);
  expect(prometheus.queries).toContain('rate{service="web-canary"}');
});

const verdictOf = async (name: string) => {
  await expect
    .poll(async () => (await runs()).find(({ metadata }) => metadata.name === name)?.status?.completedAt, {
      timeout: 15_000,
    })
    .toBeDefined();
  return (await runs()).find(({ metadata }) => metadata.name === name)?.status;
};

test.each([
  [
    'a scalar',
    { body: { status: 'success', data: { resultType: 'scalar', result: [1, '3'] } } },
    'result == 3',
    'Successful',
    '3',
  ],
  [
    'a matrix',
    {
      body: {
        status: 'success',
        data: {
          resultType: 'matrix',
          result: [
            {
              values: [
                [1, '1'],
                [2, '2'],
              ],
            },
          ],
        },
      },
    },
    'sum(result) == 3',
    'Successful',
    '[1,2]',
  ],
  [
    'nothing, guarded',
    { body: { status: 'success', data: { resultType: 'vector', result: [] } } },
    'len(result) == 0 || result[0] > 1',
    'Successful',
    '[]',
  ],
  ['not a number', 'NaN', 'result[0] >= 0', 'Failed', '[NaN]'],
])('vector 52: %s of Prometheus', async (...[, answer, successCondition, phase, value]) => {
  prometheus.answer(answer as never);
  await create('AnalysisRun', 'one', {
    metrics: [
      { name: 'm', successCondition, provider: { prometheus: { address: prometheus.url, query: 'up' } } },
    ],
  });
  expect(await verdictOf('one')).toMatchObject({ phase, metricResults: [{ measurements: [{ value }] }] });
});

test.each([
  [
    'an empty result',
    { body: { status: 'success', data: { resultType: 'vector', result: [] } } },
    'empty result',
  ],
  ['an error of Prometheus', { status: 500, body: { status: 'error', error: 'overloaded' } }, 'overloaded'],
  ['no JSON', { body: '<html>' }, 'no JSON'],
])('vector 52, RM-6: %s is an error with its cause, and never a success', async (_case, answer, message) => {
  prometheus.answer(answer);
  await create('AnalysisRun', 'one', {
    metrics: [
      {
        name: 'm',
        consecutiveErrorLimit: 0,
        successCondition: 'result[0] >= 0',
        provider: { prometheus: { address: prometheus.url, query: 'up' } },
      },
    ],
  });
  const status = await verdictOf('one');
  expect(status?.phase).toBe('Error');
  expect(status?.message).toContain(message);
});

async function webServer(status: number, body: string): Promise<{ server: Server; url: string }> {
  const server = createServer((_request, response) => {
    response.writeHead(status);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz` };
}

test.each([
  ['JSON by path', 200, '{"data":{"ok":true}}', { jsonPath: '{$.data.ok}' }, 'result == true', 'Successful'],
  ['a missing path', 200, '{}', { jsonPath: '{$.data.ok}' }, 'result', 'Error'],
  ['a text, RM-4', 200, 'fine', {}, 'result.status == "200"', 'Successful'],
  ['a text, RQ-5', 200, 'broken', {}, 'result == "fine"', 'Failed'],
  ['a missing page', 404, '{}', {}, 'true', 'Error'],
  ['a body with GET', 200, '{}', { body: 'x' }, 'true', 'Error'],
])('vector 53: the web metric reads %s', async (...[what, code, body, more, successCondition, phase]) => {
  const { server, url } = await webServer(code, body);
  await create('AnalysisRun', 'one', {
    metrics: [{ name: 'm', consecutiveErrorLimit: 0, successCondition, provider: { web: { url, ...more } } }],
  });
  expect((await verdictOf('one'))?.phase).toBe(phase);
  server.close();
  const remarks = async () =>
    (await kube.list(ctx, { apiVersion: 'v1', kind: 'Event', namespace })).items
      .map((event) => event as KubeObject & { reason: string; type: string })
      .filter(({ reason }) => reason === 'AnalysisRemark')
      .map(({ type }) => type);
  await expect.poll(remarks).toEqual(what.startsWith('a text') ? ['Warning'] : []);
});

test('vectors 51 and 54, RA-20: a Job measures, and the value of a secret is shown nowhere', async () => {
  await kube.create(ctx, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace },
    data: { token: encodeBase64Text('hush-hush') },
  } as KubeObject);
  prometheus.answer({ status: 500, body: { status: 'error', error: 'bad token hush-hush' } });
  await create('AnalysisRun', 'job', {
    metrics: [
      {
        name: 'smoke',
        provider: {
          job: {
            spec: {
              template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'job:1' }] } },
            },
          },
        },
      },
    ],
  });
  expect(await verdictOf('job')).toMatchObject({
    phase: 'Successful',
    metricResults: [{ measurements: [{ metadata: { 'job-name': expect.stringContaining('.smoke.1') } }] }],
  });
  await create('AnalysisRun', 'secret', {
    args: [{ name: 'token', valueFrom: { secretKeyRef: { name: 's', key: 'token' } } }],
    metrics: [
      {
        name: 'm',
        consecutiveErrorLimit: 0,
        provider: { prometheus: { address: prometheus.url, query: 'x{t="{{args.token}}"}' } },
      },
    ],
  });
  const status = await verdictOf('secret');
  expect(JSON.stringify(status)).not.toContain('hush-hush');
  expect(prometheus.queries).toContain('x{t="hush-hush"}');
});

test('RA-17: a provider that this controller does not have ends the run at once', async () => {
  await create('AnalysisRun', 'one', { metrics: [{ name: 'm', provider: { datadog: { query: 'x' } } }] });
  expect(await verdictOf('one')).toMatchObject({
    phase: 'Error',
    message: 'provider datadog is not supported by this controller',
  });
});
