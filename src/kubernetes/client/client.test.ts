import { setImmediate as letOthersIn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, parseJson, realClock, silent } from '#base/std';
import { createKubeClient, type KubeClient } from './client.ts';
import type { KubeRequest, KubeResponse } from './transport.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

const kind = (resource: string, name: string, scope = 'Namespaced') => ({
  resource,
  responseKind: { kind: name },
  scope,
  verbs: [],
});
const core = [
  kind('pods', 'Pod'),
  kind('configmaps', 'ConfigMap'),
  kind('namespaces', 'Namespace', 'Cluster'),
];
const groups = (name: string, version: string, resources: object[]) => ({
  kind: 'APIGroupDiscoveryList',
  items: [{ metadata: { name }, versions: [{ version, resources }] }],
});
const discovery: Record<string, unknown> = {
  '/api': groups('', 'v1', core),
  '/apis': groups('apps', 'v1', [kind('deployments', 'Deployment')]),
};

/** A client of a server that knows three kinds and otherwise answers what it is told to. */
function clientOf(...answers: (Partial<Omit<KubeResponse, 'body'>> & { body?: unknown })[]) {
  const seen: string[] = [];
  const bodies: unknown[] = [];
  const requests: KubeRequest[] = [];
  const transport = async (request: KubeRequest): Promise<KubeResponse> => {
    const known = discovery[request.path];
    if (known) return { status: 200, headers: {}, body: JSON.stringify(known) };
    requests.push(request);
    seen.push(`${request.method} ${decodeURIComponent(request.path)}`);
    bodies.push(request.body && parseJson(new TextDecoder().decode(request.body)));
    const { body = {}, ...answer } = answers.shift() ?? {};
    return {
      status: 200,
      headers: {},
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...answer,
    };
  };
  return { client: createKubeClient({ transport }), seen, bodies, requests };
}

const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'web' };
const pods = { apiVersion: 'v1', kind: 'Pod' };
const configMap: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'a' },
};
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'a', name: 'web' };
const scale: KubeObject = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'web', namespace: 'a' },
  spec: { replicas: 3 },
};

type Call = (client: KubeClient) => Promise<unknown>;
const calls: [string, Call, string, unknown?][] = [
  ['get', (c) => c.get(ctx, pod), 'GET /api/v1/namespaces/a/pods/web'],
  [
    'get a subresource',
    (c) => c.get(ctx, { ...deployment, subresource: 'scale' }),
    'GET /apis/apps/v1/namespaces/a/deployments/web/scale',
  ],
  [
    'create',
    (c) => c.create(ctx, configMap, { fieldManager: 'me', fieldValidation: 'Strict' }),
    'POST /api/v1/namespaces/a/configmaps?fieldManager=me&fieldValidation=Strict',
    configMap,
  ],
  [
    'create at a subresource',
    (c) =>
      c.create(
        ctx,
        { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } },
        { at: { ...pod, subresource: 'eviction' } },
      ),
    'POST /api/v1/namespaces/a/pods/web/eviction',
    { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } },
  ],
  [
    'update',
    (c) => c.update(ctx, configMap, { dryRun: true }),
    'PUT /api/v1/namespaces/a/configmaps/c?dryRun=All',
    configMap,
  ],
  [
    'update at a subresource',
    (c) => c.update(ctx, scale, { at: { ...deployment, subresource: 'scale' } }),
    'PUT /apis/apps/v1/namespaces/a/deployments/web/scale',
    scale,
  ],
  [
    'updateStatus',
    (c) => c.updateStatus(ctx, configMap),
    'PUT /api/v1/namespaces/a/configmaps/c/status',
    configMap,
  ],
  [
    'patch',
    (c) => c.patch(ctx, pod, { type: 'merge', body: { a: null } }),
    'PATCH /api/v1/namespaces/a/pods/web',
    { a: null },
  ],
  [
    'apply',
    (c) => c.apply(ctx, configMap, { fieldManager: 'me', force: true, dryRun: true }),
    'PATCH /api/v1/namespaces/a/configmaps/c?fieldManager=me&dryRun=All&force=true',
    configMap,
  ],
  [
    'apply a subresource',
    (c) => c.apply(ctx, configMap, { fieldManager: 'me', subresource: 'status' }),
    'PATCH /api/v1/namespaces/a/configmaps/c/status?fieldManager=me&force=false',
    configMap,
  ],
  [
    'delete',
    (c) =>
      c.delete(ctx, pod, {
        propagationPolicy: 'Foreground',
        gracePeriodSeconds: 0,
        preconditions: { uid: 'u' },
      }),
    'DELETE /api/v1/namespaces/a/pods/web',
    {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
    },
  ],
  [
    'deleteCollection',
    (c) => c.deleteCollection(ctx, { ...pods, namespace: 'a' }, { labelSelector: 'x=y', dryRun: true }),
    'DELETE /api/v1/namespaces/a/pods?dryRun=All&labelSelector=x=y',
    { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
  ],
  ['raw', (c) => c.raw(ctx, { method: 'GET', path: '/openapi/v3' }), 'GET /openapi/v3'],
];
test.each(calls)('%s asks for the right thing', async (_name, call, request, body) => {
  const { client, seen, bodies } = clientOf();
  await call(client);
  expect(seen).toEqual([request]);
  expect(bodies).toEqual([body]);
});

test('each kind of patch has its own content type', async () => {
  const { client, requests } = clientOf();
  await client.patch(ctx, pod, { type: 'json', body: [] });
  await client.patch(ctx, pod, { type: 'merge', body: {} });
  await client.patch(ctx, pod, { type: 'strategic', body: {} });
  await client.apply(ctx, configMap, { fieldManager: 'me' });
  expect(requests.map(({ headers }) => headers['content-type'])).toEqual([
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
  ]);
});

test('invariant 1: numbers and unknown fields go both ways unharmed', async () => {
  const text =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"a"},"futureField":9007199254740993}';
  const { client, requests } = clientOf({ body: text });
  const object = await client.get(ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'c' });
  await client.update(ctx, object);
  expect(new TextDecoder().decode(requests[1]?.body)).toBe(text);
});

test('find knows a missing object from a missing kind', async () => {
  const missing = {
    status: 404,
    body: { kind: 'Status', code: 404, reason: 'NotFound', message: 'pods "web" not found' },
  };
  const { client } = clientOf(missing, missing);
  expect(await client.find(ctx, pod)).toBeUndefined();
  await expect(client.get(ctx, pod)).rejects.toMatchObject({ reason: 'NotFound' });
  await expect(client.find(ctx, { ...pod, kind: 'Widget' })).rejects.toMatchObject({ reason: 'NoMatch' });
});

test('delete tells what is left: nothing, or an object that waits', async () => {
  const { client } = clientOf(
    { body: { kind: 'Status', status: 'Success' } },
    { body: { ...configMap, metadata: { name: 'c', deletionTimestamp: 'now' } } },
  );
  expect(await client.delete(ctx, pod)).toBeUndefined();
  expect(await client.delete(ctx, pod)).toMatchObject({ metadata: { deletionTimestamp: 'now' } });
});

test('an object or a deletion without the namespace its kind needs is refused before anything is sent', async () => {
  const { client, seen } = clientOf();
  await expect(client.create(ctx, { ...configMap, metadata: { name: 'c' } })).rejects.toThrow(
    'ConfigMap c needs a namespace',
  );
  await expect(client.deleteCollection(ctx, pods)).rejects.toThrow('Pod needs a namespace');
  expect(seen).toEqual([]);
});

test('lists page by page, names the kind of each item, and returns the version of the first page', async () => {
  const { client, seen } = clientOf(
    { body: { metadata: { resourceVersion: '7', continue: 't1' }, items: [{ metadata: { name: 'a' } }] } },
    {
      body: {
        metadata: { resourceVersion: '7', continue: '' },
        items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } }],
      },
    },
  );
  const { items, resourceVersion } = await client.list(ctx, pods, {
    labelSelector: 'x',
    pageSize: 1,
    resourceVersion: '5',
    resourceVersionMatch: 'NotOlderThan',
  });
  expect(items).toEqual([
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' } },
  ]);
  expect(resourceVersion).toBe('7');
  expect(seen).toEqual([
    'GET /api/v1/pods?limit=1&labelSelector=x&resourceVersion=5&resourceVersionMatch=NotOlderThan',
    'GET /api/v1/pods?limit=1&labelSelector=x&continue=t1',
  ]);
});

test('pages of large objects are short, those of small ones long, and the next is made while one is read', async () => {
  const page = (count: number, bytes: number, next: string) => ({
    body: {
      metadata: { resourceVersion: '7', continue: next },
      items: Array.from({ length: count }, () => ({
        metadata: { name: 'a', annotations: { text: 'x'.repeat(bytes) } },
      })),
    },
  });
  const { client, seen } = clientOf(
    page(10, 30_000, 't1'),
    page(34, 10, 't2'),
    page(500, 20_000, 't3'),
    page(1, 1, ''),
  );
  const asked = new Set<number>();
  const slim = (object: KubeObject) => {
    asked.add(seen.length);
    return object;
  };
  const { items } = await client.list(ctx, pods, { slim });
  const limits = seen.map((path) => Number(/limit=(\d+)/.exec(path)?.[1]));
  expect(limits).toEqual([10, 34, 500, 52]);
  expect(items).toHaveLength(545);
  expect([...asked]).toEqual([2, 3, 4]);
});

test('a page of sixty megabytes is parsed item by item, with other work in between (decision 28)', async () => {
  const data = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`key-${at}`, `value ${at}`]));
  const { client } = clientOf({
    body: { metadata: { resourceVersion: '7' }, items: Array.from({ length: 60 }, () => ({ data })) },
  });
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await letOthersIn();
  })();
  const { items } = await client.list(ctx, pods);
  isDone = true;
  await others;
  expect(items).toHaveLength(60);
  expect(items[59]).toMatchObject({ kind: 'Pod', data: { 'key-39999': 'value 39999' } });
  expect(turns).toBeGreaterThan(3);
});

test('where a list goes on is found wherever a server says it', async () => {
  const item = { metadata: { name: 'a', continue: 'no' } };
  const { client, seen } = clientOf(
    { body: { items: [item], metadata: { continue: 't1', resourceVersion: '7' } } },
    { body: { metadata: { continue: 't"2', labels: {} }, items: [item] } },
    { body: { kind: 'PodList', metadata: {}, items: [item] } },
  );
  expect((await client.list(ctx, pods)).items).toHaveLength(3);
  const tokens = seen.map((path) => new URL(path.slice(4), 'http://a').searchParams.get('continue'));
  expect(tokens).toEqual([null, 't1', 't"2']);
});

test('a list whose snapshot is forgotten half way is asked for again in one piece', async () => {
  const { client, seen } = clientOf(
    { body: { metadata: { resourceVersion: '7', continue: 't1' }, items: [{ metadata: { name: 'old' } }] } },
    { status: 410, body: { kind: 'Status', code: 410, reason: 'Expired' } },
    { body: { metadata: { resourceVersion: '9' }, items: [{ metadata: { name: 'new' } }] } },
  );
  const { items, resourceVersion } = await client.list(ctx, { ...pods, namespace: 'a' });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['new']);
  expect(resourceVersion).toBe('9');
  expect(seen.at(-1)).toBe('GET /api/v1/namespaces/a/pods');
});

test('a URL that has gone since discovery was read is told as a kind that is gone', async () => {
  const { client } = clientOf(
    { status: 404, body: '404 page not found' },
    { status: 404, body: '404 page not found' },
  );
  await expect(client.get(ctx, deployment)).rejects.toMatchObject({ reason: 'NotFound' });
  const before = discovery['/apis'];
  discovery['/apis'] = groups('apps', 'v1', []);
  await expect(client.get(ctx, deployment)).rejects.toMatchObject({ reason: 'NoMatch' });
  discovery['/apis'] = before;
});

test('another user is named in each request, and shares what is known of the cluster', async () => {
  const { client, requests } = clientOf();
  await client.get(ctx, pod);
  await client.as('system:serviceaccount:a:deployer').get(ctx, pod);
  expect(requests.map(({ headers }) => headers['impersonate-user'])).toEqual([
    undefined,
    'system:serviceaccount:a:deployer',
  ]);
});

test('logs come line by line', async () => {
  const { client, seen, requests } = clientOf({ body: 'one\ntwo' });
  const lines: string[] = [];
  for await (const line of client.logs(
    ctx,
    { namespace: 'a', name: 'web' },
    { container: 'main', follow: true, tailLines: 2 },
  ))
    lines.push(line);
  expect(lines).toEqual(['one', 'two']);
  expect(seen).toEqual(['GET /api/v1/namespaces/a/pods/web/log?container=main&follow=true&tailLines=2']);
  expect(requests[0]?.headers.accept).toBe('*/*');
});
