import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, FairleadError, onAbort, realClock, silent } from '#base/std';
import { KubeError } from '#kubernetes/client';
import { applications, session } from '#serve/api';
import { policyOf } from '../../../../test/policy.ts';
import type { AuditRecord } from './audit.ts';
import { listed, many, one, open } from './routes.ts';
import { serveRest } from './serve.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const failures: Record<string, unknown> = {
  missing: new FairleadError('NotFound', 'no such application'),
  denied: new FairleadError('PermissionDenied', 'permission denied'),
  conflict: new KubeError({ reason: 'Conflict', message: 'changed meanwhile', code: 409 }),
  broken: new Error('secret path /var/lib/x'),
};
/** Made one by one; how many were is told. */
let made = 0;
function* resources(name: string): Generator<never> {
  const count = name === 'none' ? 0 : 40;
  for (made = 0; made < count; made++) yield { kind: '<b>', text: 'x'.repeat(30_000), made } as never;
  if (name === 'broken') throw new Error('half way');
}
const routes = [
  open(session.create, async () => ({ value: { token: '' } })),
  open(session.version, async () => ({ value: { Version: 'v1' }, headers: { 'x-extra': 'yes' } })),
  one(applications.get, async (_ctx, { params, permissions }) => {
    if (params.name !== 'unchecked') permissions.waive();
    const failure = failures[params.name ?? ''];
    if (failure) throw failure;
    return { metadata: { name: '<b>&' } } as never;
  }),
  listed(applications.managedResources, async (_ctx, { params, permissions }) => {
    permissions.waive();
    return { items: resources(params.name ?? '') };
  }),
  one(applications.sync, async (_ctx, { body, permissions }) => {
    permissions.waive();
    return body as never;
  }),
  many(applications.watch, (_ctx, { permissions }) => {
    permissions.waive();
    return slow();
  }),
  many(applications.watchTree, (inner, { permissions, params }) => {
    if (params.name === 'denied') throw new FairleadError('PermissionDenied', 'permission denied');
    permissions.waive();
    return endless(inner);
  }),
];
async function* slow(): AsyncGenerator<never> {
  yield { type: 'ADDED', application: {} } as never;
  throw new FairleadError('LimitExceeded', 'reader too slow');
}
async function* endless(inner: Ctx): AsyncGenerator<never> {
  yield { nodes: [] } as never;
  await new Promise<void>((resolve) => inner.signal.addEventListener('abort', () => resolve()));
}
const ended = new AbortController();
const audited: AuditRecord[] = [];
const options = {
  routes,
  policy: policyOf(),
  audit: async (_ctx: unknown, record: AuditRecord) => {
    audited.push(record);
  },
  reached: () => ({ trustedProxies: [], origins: [], cookiePath: '/' }),
  sessions: {
    verify: async (_ctx: unknown, token: string) => {
      if (token !== 'a.b.c') throw new FairleadError('Auth', 'invalid session');
      const subject = { user: 'admin', isLocal: true };
      const user = { username: 'admin', issuer: 'argocd', subject, kind: 'login' as const };
      return { ...user, token: { id: 'x', issued: 0 } };
    },
    renewed: async () => undefined,
    isAnonymousAllowed: false,
    untilEnd: (inner: Ctx) =>
      new Promise<void>((resolve) => {
        onAbort(AbortSignal.any([ended.signal, inner.signal]), resolve);
      }),
  },
};
const server = createServer((request, response) => {
  serveRest(ctx, options, { request, response }).catch(() => response.destroy());
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(url + path, { ...init, headers: { authorization: 'Bearer a.b.c', ...init.headers } });
const json = { 'content-type': 'application/json' };

test('a method that no call of the API has is refused with those that the path takes', async () => {
  for (const method of ['HEAD', 'OPTIONS']) {
    const { status, headers } = await ask('/api/v1/applications/web', { method });
    expect([status, headers.get('allow')]).toEqual([405, 'GET']);
  }
  const options = await ask('/api/v1/applications/web', { method: 'OPTIONS' });
  expect(await options.json()).toMatchObject({ message: '/api/v1/applications/web does not take OPTIONS' });
  expect((await ask('/api/v1/applications/a/b/c/d', { method: 'HEAD' })).status).toBe(404);
});

test('markup in an answer is escaped, and headers of a method are set', async () => {
  expect(await (await ask('/api/v1/applications/web')).text()).toBe(
    '{"metadata":{"name":"\\u003cb\\u003e\\u0026"}}',
  );
  const version = await fetch(`${url}/api/version`);
  expect([version.status, version.headers.get('x-extra')]).toEqual([200, 'yes']);
});

test.each([
  ['missing', 404, 5, 'no such application'],
  ['denied', 403, 7, 'permission denied'],
  ['conflict', 409, 10, 'changed meanwhile'],
  ['broken', 500, 13, 'internal error: the log has the details'],
])('a call that ends as %s answers %i in the envelope', async (name, status, code, message) => {
  const response = await ask(`/api/v1/applications/${name}`);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: message, code, message });
});

test('who is not signed in, sends a form, or asks for nothing we have, is told so', async () => {
  expect((await fetch(`${url}/api/v1/applications/web`)).status).toBe(401);
  expect((await ask('/api/v1/applications/web', { headers: { authorization: 'Bearer x.y.z' } })).status).toBe(
    401,
  );
  expect((await ask('/api/v1/applications/web/sync', { method: 'POST', body: 'prune=true' })).status).toBe(
    415,
  );
  expect((await ask('/api/v1/nothing')).status).toBe(404);
  expect((await ask('/api/v1/applications/web', { method: 'PATCH', headers: json })).status).toBe(501);
});

test('a cookie signs in as well as a header', async () => {
  const response = await fetch(`${url}/api/v1/applications/web`, {
    headers: { cookie: 'a=b; argocd.token=a.b.c' },
  });
  expect(response.status).toBe(200);
});

test.each(['%', '%E0%A4%A', 'a.b', '..', 'x'.repeat(8000), '"a.b.c"'])(
  'a cookie that is no token, %s, is answered with 401',
  async (value) => {
    const headers = { cookie: `argocd.token=${value}` };
    expect((await fetch(`${url}/api/v1/applications/web`, { headers })).status).toBe(401);
    expect((await fetch(`${url}/api/version`, { headers })).status).toBe(200);
  },
);

test('a request that anybody can send has a small body', async () => {
  const body = JSON.stringify({ username: 'x', password: 'y'.repeat(65 * 1024) });
  const answer = await fetch(`${url}/api/v1/session`, { method: 'POST', headers: json, body });
  expect(answer.status).toBe(429);
});

test('a body is checked before a method sees it', async () => {
  const post = (body: string) =>
    ask('/api/v1/applications/web/sync', { method: 'POST', headers: json, body });
  expect(await (await post('{"prune":true,"x":1}')).json()).toEqual({ prune: true });
  expect((await post('{"prune":"yes"}')).status).toBe(400);
  expect(await (await post('{"prune":')).json()).toMatchObject({
    message: expect.stringContaining('not JSON'),
  });
});

test('a body that is nested too deeply is refused, and brackets in a text are no nesting', async () => {
  const post = async (body: string) => {
    const answer = await ask('/api/v1/applications/web/sync', { method: 'POST', headers: json, body });
    return [answer.status, ((await answer.json()) as { message?: string }).message];
  };
  const nested = (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  expect(await post(nested(50_000))).toEqual([400, 'request body is nested deeper than 1000 levels']);
  expect(await post(nested(999))).toEqual([200, undefined]);
  expect(await post(`{"x":"\\\\\\"${'['.repeat(5_000)}"}`)).toEqual([200, undefined]);
});

test('a stream speaks events or lines, and ends with its error', async () => {
  const lines = (await (await ask('/api/v1/stream/applications')).text()).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toEqual({ result: { type: 'ADDED', application: {} } });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ error: { message: 'reader too slow', http_code: 429 } });
  const events = await ask('/api/v1/stream/applications', { headers: { accept: 'text/event-stream' } });
  expect(events.headers.get('content-type')).toBe('text/event-stream');
  expect(await events.text()).toMatch(/^data: \{"result":.*\n\ndata: \{"error":/);
});

test('a stream that is refused has a status of its own, and its error envelope', async () => {
  const answer = await ask('/api/v1/stream/applications/denied/resource-tree');
  expect([answer.status, await answer.json()]).toEqual([
    403,
    { error: { grpc_code: 7, http_code: 403, message: 'permission denied', http_status: 'Forbidden' } },
  ]);
});

test('a method that responds without having checked a permission is refused', async () => {
  expect((await ask('/api/v1/applications/unchecked')).status).toBe(500);
});

test('a list too large to be held is sent item by item, and reads as any other', async () => {
  const path = (name: string) => `/api/v1/applications/${name}/managed-resources`;
  const text = await (await ask(path('web'))).text();
  expect(text.slice(0, 40)).toContain('{"items":[{"kind":"\\u003cb\\u003e"');
  const { items } = JSON.parse(text) as { items: { made: number }[] };
  expect(items.map((item) => item.made)).toEqual(Array.from({ length: 40 }, (_, index) => index));
  expect(await (await ask(path('none'))).json()).toEqual({ items: [] });
});

test('a list that breaks half way is not taken for a whole one', async () => {
  const answer = await ask('/api/v1/applications/broken/managed-resources');
  await expect(answer.text()).rejects.toThrow();
});

test('a stream ends with the session it was opened with', async () => {
  const reading = ask('/api/v1/stream/applications/web/resource-tree').then(async ({ body }) => {
    const pieces: string[] = [];
    for await (const piece of body ?? []) {
      pieces.push(new TextDecoder().decode(piece));
      ended.abort();
    }
    return pieces;
  });
  await expect(reading).rejects.toThrow();
});

test.each([
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['*', 'br'],
  ['identity', null],
  ['gzip;q=0', null],
])('a large response to a client that accepts %s is encoded as %s', async (accepted, encoding) => {
  const response = await ask('/api/v1/applications/x/managed-resources', {
    headers: { 'accept-encoding': accepted },
  });
  expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
    encoding,
    'accept-encoding',
  ]);
  expect(((await response.json()) as { items: unknown[] }).items).toHaveLength(40);
});

test('small responses, errors, streams, and whatever answers a write, are not compressed: they may hold a token', async () => {
  const headers = { 'accept-encoding': 'gzip', ...json };
  const body = JSON.stringify({ infos: [{ name: 'x', value: 'y'.repeat(5_000) }] });
  for (const [path, init] of [
    ['/api/v1/applications/web', {}],
    ['/api/v1/applications/missing', {}],
    ['/api/v1/applications/web/sync', { method: 'POST', body }],
  ] as const) {
    const response = await ask(path, { ...init, headers });
    expect([path, response.headers.get('content-encoding')]).toEqual([path, null]);
    await response.text();
  }
  const stream = await ask('/api/v1/stream/applications', { headers });
  expect(stream.headers.get('content-encoding')).toBeNull();
  await stream.body?.cancel();
});

test('server §7.5: a change is recorded before and after, without what may be secret; a read only when it is refused', async () => {
  audited.length = 0;
  const headers = { authorization: 'Bearer a.b.c', 'content-type': 'application/json' };
  const body = JSON.stringify({ revision: 'main', dryRun: true, manifests: ['kind: Secret'] });
  await fetch(`${url}/api/v1/applications/web/sync?appNamespace=team`, { method: 'POST', headers, body });
  await (await fetch(`${url}/api/v1/applications/web`, { headers })).text();
  await (await fetch(`${url}/api/v1/stream/applications/denied/resource-tree`, { headers })).text();
  await expect.poll(() => audited.length).toBe(3);
  const [received, completed, denied] = audited;
  expect(received).toEqual({
    stage: 'RequestReceived',
    id: expect.any(String),
    time: expect.any(String),
    user: 'admin',
    issuer: 'argocd',
    address: '127.0.0.1',
    method: 'POST',
    route: '/api/v1/applications/:name/sync',
    params: { name: 'web' },
    query: { appNamespace: 'team' },
    content: { revision: 'main', dryRun: true },
  });
  expect(completed).toMatchObject({ stage: 'ResponseComplete', id: received?.id, status: 200 });
  expect(denied).toMatchObject({ stage: 'ResponseComplete', user: 'admin', status: 403 });
});
