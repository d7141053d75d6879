import { expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient, type KubeResponse, type Transport } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { createClusterRequestMetrics } from './cluster-requests.ts';
import { createMetricsPage } from './page.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const server = 'https://10.0.0.1:6443';
const host = 'host="10.0.0.1:6443"';

function stage() {
  const page = createMetricsPage('1.2.3');
  const lines = async (family: string) =>
    (await page.text()).split('\n').filter((line) => line.startsWith(family));
  return { metrics: createClusterRequestMetrics(page), lines };
}

const ask = (transport: Transport, method: string, path: string, body?: Uint8Array) =>
  transport({ method, path, headers: {}, signal: ctx.signal, ...(body && { body }) });

const answering =
  (answer: Partial<KubeResponse>): Transport =>
  async () => ({ status: 200, headers: {}, body: 'four', ...answer });

const verbs: readonly [method: string, path: string, verb: string][] = [
  ['GET', '/api/v1/pods', 'List'],
  ['GET', '/api/v1/namespaces/web', 'Get'],
  ['GET', '/api/v1/namespaces/web/pods?limit=500', 'List'],
  ['GET', '/apis/apps/v1/namespaces/web/deployments/a', 'Get'],
  ['GET', '/apis/apps/v1/namespaces/web/deployments/a/status', 'Get'],
  ['GET', '/version', 'Get'],
  ['GET', '/api/v1', 'Get'],
  ['POST', '/api/v1/namespaces/web/pods', 'Create'],
  ['PUT', '/api/v1/namespaces/web/pods/a', 'Update'],
  ['PATCH', '/api/v1/namespaces/web/pods/a', 'Patch'],
  ['DELETE', '/api/v1/namespaces/web/pods/a', 'Delete'],
  ['HEAD', '/api/v1/pods', 'Unknown'],
];

test.each(verbs)('%s %s is a %s (server §7.1)', async (method, path, verb) => {
  const { metrics, lines } = stage();
  await ask(metrics.counted(answering({}), server), method, path);
  expect(await lines('argocd_kubectl_request_duration_seconds_count')).toEqual([
    `argocd_kubectl_request_duration_seconds_count{${host},verb="${verb}"} 1`,
  ]);
  expect(await lines('argocd_kubectl_requests_total')).toEqual([
    `argocd_kubectl_requests_total{${host},method="${method}",code="200"} 1`,
  ]);
});

test('sizes are in the buckets of the peer, of a whole answer and of one that comes in pieces (server §7.1)', async () => {
  const { metrics, lines } = stage();
  const pieces = (async function* () {
    yield 'a'.repeat(500);
    yield new Uint8Array(500);
  })();
  const transport = metrics.counted(answering({ body: pieces }), server);
  const { body } = await ask(transport, 'POST', '/api/v1/namespaces/web/pods', new Uint8Array(70));
  expect(await lines('argocd_kubectl_response_size_bytes')).toEqual([]);
  for await (const _piece of body as AsyncIterable<unknown>);
  const bucket = (family: string, le: string, count: number) =>
    `argocd_kubectl_${family}_size_bytes_bucket{le="${le}",${host},method="POST"} ${count}`;
  const bounds = ['64', '512', '4096', '65536', '1048576', '16777216', '+Inf'];
  expect(await lines('argocd_kubectl_request_size_bytes_bucket')).toEqual(
    bounds.map((le, at) => bucket('request', le, at < 1 ? 0 : 1)),
  );
  expect(await lines('argocd_kubectl_response_size_bytes_bucket')).toEqual(
    bounds.map((le, at) => bucket('response', le, at < 2 ? 0 : 1)),
  );
  expect(
    (await lines('argocd_kubectl_request_duration_seconds_bucket')).map((line) => line.split('"')[1]),
  ).toEqual(['0.005', '0.1', '0.5', '2', '8', '30', '+Inf']);
});

test('a body that is given up unread is given up where it comes from', async () => {
  const { metrics } = stage();
  let isClosed = false;
  const inner = {
    next: async () => ({ done: true as const, value: undefined }),
    return: async () => {
      isClosed = true;
      return { done: true as const, value: undefined };
    },
  };
  const transport = metrics.counted(answering({ body: { [Symbol.asyncIterator]: () => inner } }), server);
  const { body } = await ask(transport, 'GET', '/api/v1/pods');
  await (body as AsyncIterable<unknown>)[Symbol.asyncIterator]().return?.();
  expect(isClosed).toBe(true);
});

test('what is refused, put off or never answered is told by its code (server §7.1)', async () => {
  const { metrics, lines } = stage();
  const unreachable: Transport = async () => {
    throw new Error('unreachable');
  };
  await ask(metrics.counted(answering({ status: 503 }), server), 'GET', '/version');
  const later = answering({ status: 429, headers: { 'Retry-After': '1' } });
  await ask(metrics.counted(later, server), 'GET', '/version');
  await expect(ask(metrics.counted(unreachable, server), 'GET', '/version')).rejects.toThrow('unreachable');
  expect(await lines('argocd_kubectl_requests_total')).toEqual(
    ['503', '429', '<error>'].map(
      (code) => `argocd_kubectl_requests_total{${host},method="GET",code="${code}"} 1`,
    ),
  );
  expect(await lines('argocd_kubectl_request_retries_total')).toEqual([
    `argocd_kubectl_request_retries_total{${host},method="GET",code="429"} 1`,
  ]);
});

test('a watch counts when it is accepted, and is as it was', async () => {
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const { metrics, lines } = stage();
  const kube = createKubeClient({ transport: metrics.counted((request) => cluster.handle(request), server) });
  await kube.list(ctx, { apiVersion: 'v1', kind: 'Namespace' });
  const before = (await lines('argocd_kubectl_request_duration_seconds_count')).length;
  const stop = new AbortController();
  const events = await kube.watch({ ...ctx, signal: stop.signal }, { apiVersion: 'v1', kind: 'Namespace' });
  expect(await events.next()).toMatchObject({ value: { type: 'ADDED' } });
  stop.abort();
  expect(await lines('argocd_kubectl_request_duration_seconds_count')).toHaveLength(before);
  expect(await lines('argocd_kubectl_requests_total')).toContainEqual(
    expect.stringMatching(/method="GET",code="200"} [3-9]$/),
  );
  await cluster.close();
});

test('changes of a cluster that came together are told, and all of a cluster goes when it does (server §7.1)', async () => {
  const { metrics, lines } = stage();
  metrics.processed(server, 12, 300);
  metrics.processed(server, 3, 100);
  await ask(metrics.counted(answering({}), server), 'GET', '/version');
  expect(await lines('argocd_resource_events_processed_in_batch')).toEqual([
    `argocd_resource_events_processed_in_batch{server="${server}"} 3`,
  ]);
  const bucket = (le: string, count: number) =>
    `argocd_resource_events_processing_bucket{le="${le}",server="${server}"} ${count}`;
  expect(await lines('argocd_resource_events_processing_bucket')).toEqual([
    bucket('0.25', 1),
    ...['0.5', '1', '2', '4', '8', '16', '+Inf'].map((le) => bucket(le, 2)),
  ]);
  metrics.gone(server);
  expect(await lines('argocd_resource_events')).toEqual([]);
  expect(await lines('argocd_kubectl_')).toEqual([]);
});
