import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, FairleadError, onAbort, realClock, silent } from '#base/std';
import { listenHttp } from '#platform/http';
import { applications, session } from '#serve/api';
import { decodeMessage, encodeMessage, frameOf, MessageFrames, standard } from '#serve/grpc';
import { grpcClient, messagesIn, requestBody, statusIn } from '../../../../test/grpc-client.ts';
import { policyOf } from '../../../../test/policy.ts';
import type { AuditRecord } from '../rest/audit.ts';
import { listed, many, one, open } from '../rest/routes.ts';
import { grpcRoutes } from './grpc-routes.ts';
import { grpcFormOf, serveGrpc } from './serve-grpc.ts';
import { serveHttp2With } from './serve-http2.ts';

const stop = new AbortController();
const ctx = { signal: stop.signal, log: silent, clock: realClock };
const ended = new AbortController();
const audited: AuditRecord[] = [];
/** Whether the stream of a call has ended on the server. */
let isStreamOpen = false;
let isServing = true;

const routes = [
  open(session.create, async (_ctx, { body }) => ({ value: { token: body.username } })),
  open(session.version, async (_ctx, { user }) => ({ value: { Version: user ? 'v1 for admin' : 'v1' } })),
  listed(applications.list, async (_ctx, { query, permissions }) => {
    permissions.waive();
    if (query.get('name') === 'lasting') return { items: lasting as never[], areLasting: true };
    const items = ['a', 'b'].map((name) => ({
      metadata: { name, labels: { of: query.getAll('projects').join() } },
    }));
    return { metadata: { resourceVersion: '7' }, items: items as never[] };
  }),
  one(applications.get, async (_ctx, { params, permissions }) => {
    if (params.name !== 'unchecked') permissions.waive();
    if (params.name === 'absent') throw new FairleadError('NotFound', 'no “such” application\n100%');
    if (params.name === 'broken') throw new Error('secret path /var/lib/x');
    return { metadata: { name: params.name } } as never;
  }),
  one(applications.sync, async (_ctx, { body, params, permissions }) => {
    permissions.waive();
    return { metadata: { name: params.name, annotations: { body: JSON.stringify(body) } } } as never;
  }),
  many(applications.watch, (inner, { permissions }) => {
    permissions.waive();
    return endless(inner);
  }),
];
/** More than one piece of the transport, of items that are shorter and longer than one. */
const lasting = Array.from({ length: 300 }, (_, i) => ({
  metadata: { name: `app-${i}`, annotations: { text: 'ü'.repeat(i === 7 ? 90_000 : i) } },
}));
async function* endless(inner: Ctx): AsyncGenerator<never> {
  isStreamOpen = true;
  yield { type: 'ADDED', application: { metadata: { name: 'a' } } } as never;
  await new Promise<void>((resolve) => onAbort(inner.signal, resolve));
  isStreamOpen = false;
}
const options = {
  routes: grpcRoutes(routes),
  isServing: () => isServing,
  policy: policyOf(),
  audit: async (_ctx: unknown, record: AuditRecord) => void audited.push(record),
  reached: () => ({ trustedProxies: [], origins: [], cookiePath: '/' }),
  sessions: {
    verify: async (_ctx: unknown, token: string) => {
      if (token !== 'a.b.c') throw new FairleadError('Auth', 'invalid session');
      const user = { username: 'admin', issuer: 'argocd', subject: { user: 'admin', isLocal: true } };
      return { ...user, kind: 'login' as const, token: { id: 'x', issued: 0 } };
    },
    renewed: async () => undefined,
    isAnonymousAllowed: false,
    untilEnd: (inner: Ctx) =>
      new Promise<void>((resolve) => onAbort(AbortSignal.any([ended.signal, inner.signal]), resolve)),
  },
};

let port = 0;
let client: ReturnType<typeof grpcClient>;
let running: Promise<void> = Promise.resolve();
beforeAll(async () => {
  const listening = await listenHttp(ctx, {
    ...{ host: '127.0.0.1', port: 0, requestMs: 15_000, flags: { host: '--host', port: '--port' } },
    tls: { current: () => undefined, servePlain: () => {} },
    serve: async (inner, request, response) => {
      const form = grpcFormOf(request);
      if (form) await serveGrpc(inner, options, form, { request, response, path: request.url ?? '' });
      else response.end('page');
    },
    serveHttp2: serveHttp2With({
      rootPath: () => '/root',
      isOwnHost: (host) => host?.startsWith('127.0.0.1') ?? false,
      serveCall: (inner, form, exchange) => serveGrpc(inner, options, form, exchange),
    }),
  });
  port = listening.port;
  running = listening.run(ctx);
  client = grpcClient(`http://127.0.0.1:${port}`);
});
afterAll(async () => {
  client.close();
  stop.abort();
  await running;
});

const token = { token: 'a.b.c' };
const send: ReturnType<typeof grpcClient>['send'] = (path, sent) => client.send(path, sent);
const unary = (name: string, request: unknown, headers: Record<string, string> = token) =>
  client.call(name, request, headers);

test('compat server §3: a call is its REST method: its fields are path, query and body', async () => {
  expect(await unary('application.ApplicationService/List', { projects: ['shop', 'bank'] })).toEqual({
    status: [0, ''],
    messages: [
      {
        metadata: { resourceVersion: '7' },
        items: ['a', 'b'].map((name) => ({ metadata: { name, labels: { of: 'shop,bank' } } })),
      },
    ],
  });
  const sync = { name: 'web', revision: 'main', prune: true, dryRun: false };
  expect(await unary('application.ApplicationService/Sync', sync)).toEqual({
    status: [0, ''],
    messages: [
      {
        metadata: {
          name: 'web',
          annotations: { body: JSON.stringify({ revision: 'main', dryRun: false, prune: true }) },
        },
      },
    ],
  });
});

test('a long list is the same when it is sent again, and a changed item is sent as it is now', async () => {
  const list = () => unary('application.ApplicationService/List', { name: 'lasting' });
  const sent = { status: [0, ''], messages: [{ items: lasting }] };
  expect(await list()).toEqual(sent);
  expect(await list()).toEqual(sent);
  lasting[3] = { metadata: { name: 'changed', annotations: { text: 'new' } } };
  expect(await list()).toEqual({ status: [0, ''], messages: [{ items: lasting }] });
});

test('compat server §3.4: only what is public needs no token; a bad one is not better than none', async () => {
  const version = 'version.VersionService/Version';
  expect(await unary(version, {}, {})).toEqual({ status: [0, ''], messages: [{ Version: 'v1' }] });
  expect((await unary(version, {}, { authorization: 'Bearer a.b.c' })).messages).toEqual([
    { Version: 'v1 for admin' },
  ]);
  expect((await unary(version, {}, { cookie: 'argocd.token=a.b.c' })).messages).toEqual([
    { Version: 'v1 for admin' },
  ]);
  const list = 'application.ApplicationService/List';
  expect((await unary(list, {}, {})).status).toEqual([16, 'no session information']);
  expect((await unary(list, {}, { token: 'x.y.z' })).status).toEqual([16, 'invalid session']);
});

test('an error is the status of the call, and an internal one says nothing of this machine', async () => {
  const get = 'application.ApplicationService/Get';
  expect((await unary(get, { name: 'absent' })).status).toEqual([5, 'no “such” application\n100%']);
  expect((await unary(get, { name: 'broken' })).status).toEqual([
    13,
    'internal error: the log has the details',
  ]);
  expect((await unary(get, { name: 'unchecked' })).status).toEqual([
    13,
    'internal error: the log has the details',
  ]);
  expect((await unary(get, {})).status).toEqual([3, 'name is required']);
});

test('the audit has the records of the REST call', async () => {
  audited.length = 0;
  await unary('application.ApplicationService/Sync', { name: 'web', revision: 'main' });
  expect(audited).toMatchObject([
    {
      stage: 'RequestReceived',
      user: 'admin',
      route: '/api/v1/applications/:name/sync',
      params: { name: 'web' },
    },
    { stage: 'ResponseComplete', status: 200, content: { revision: 'main' } },
  ]);
});

test.each([
  ['a method that no service has', '/application.ApplicationService/Frobnicate', 12, 'there is no method'],
  ['a service that does not exist', '/x.Y/Z', 12, 'there is no method'],
  ['a method that has no REST route here', '/gpgkey.GPGKeyService/List', 12, 'not supported yet'],
  ['a stream of requests', '/application.ApplicationService/GetManifestsWithFiles', 12, 'not supported yet'],
])('%s', async (_what, path, code, text) => {
  expect(statusIn(await send(path, { headers: token, body: Buffer.alloc(5) }))).toEqual([
    code,
    expect.stringContaining(text),
  ]);
});

const get = '/application.ApplicationService/Get';
const prefix = (flags: number, length: number): Buffer => {
  const bytes = Buffer.alloc(5);
  bytes[0] = flags;
  bytes.writeUInt32BE(length, 1);
  return bytes;
};

test.each([
  ['a message that claims four gigabytes', prefix(0, 0xffff_ffff), 8, 'larger than'],
  ['a compressed message', Buffer.concat([prefix(1, 3), Buffer.from('abc')]), 12, 'compressed'],
  ['an unknown flag', prefix(0x40, 0), 3, 'unknown flags'],
  ['a message that is cut', Buffer.concat([prefix(0, 9), Buffer.from('abc')]), 3, 'ended inside a message'],
  ['no message', Buffer.alloc(0), 3, 'got none'],
  ['two messages', Buffer.concat([prefix(0, 0), prefix(0, 0)]), 3, 'got more'],
  [
    'a field that ends after the message',
    Buffer.concat([prefix(0, 2), Buffer.from([0x0a, 0x7f])]),
    3,
    'unexpected end',
  ],
  [
    'a number without end',
    Buffer.concat([prefix(0, 12), Buffer.alloc(12, 0xff)]),
    3,
    'longer than ten bytes',
  ],
  ['a group', Buffer.concat([prefix(0, 1), Buffer.from([0x0b])]), 3, 'wire type 3'],
  [
    'a number where a text belongs',
    Buffer.concat([prefix(0, 2), Buffer.from([0x08, 1])]),
    3,
    'a number stands',
  ],
  ['a text that is not UTF-8', Buffer.concat([prefix(0, 3), Buffer.from([0x0a, 1, 0xff])]), 3, 'not UTF-8'],
])('%s is refused, and the connection goes on', async (_what, body, code, text) => {
  expect(statusIn(await send(get, { headers: token, body }))).toEqual([code, expect.stringContaining(text)]);
  expect((await unary('version.VersionService/Version', {}, {})).status).toEqual([0, '']);
});

test('without a session a message is limited to what a login needs', async () => {
  const body = requestBody('session.SessionService/Create', { username: 'x'.repeat(70_000) });
  expect(statusIn(await send('/session.SessionService/Create', { body }))).toEqual([
    16, // whatever is refused of a login
    expect.stringContaining('larger than 65536'),
  ]);
});

test('compat server §3.4: pings are answered however often they come, and a stream goes on', async () => {
  const pinging = grpcClient(`http://127.0.0.1:${port}`);
  const refusals: unknown[] = [];
  pinging.session.on('goaway', (code) => refusals.push(code));
  const fixed = { ':method': 'POST', 'content-type': 'application/grpc', ...token };
  const watch = 'application.ApplicationService/Watch';
  const stream = pinging.session.request({ ...fixed, ':path': `/${watch}` });
  stream.on('error', () => {}).end(requestBody(watch, {}));
  await once(stream, 'data');
  // with no time between them, which is worse than the ten seconds of a client
  for (let sent = 0; sent < 30; sent++) {
    const payload = Buffer.from(`ping ${sent}`.padEnd(8));
    const pong = await new Promise((resolve) => pinging.session.ping(payload, (...got) => resolve(got)));
    expect(pong).toEqual([null, expect.any(Number), payload]);
  }
  expect([refusals, stream.closed, isStreamOpen]).toEqual([[], false, true]);
  pinging.close();
  await expect.poll(() => isStreamOpen).toBe(false);
});

const opened = (name: string, more: object = {}) =>
  client.session.request({
    ...{ ':method': 'POST', ':path': `/${name}`, 'content-type': 'application/grpc+proto' },
    ...{ ...token, ...more },
  });

test('a stream has its headers at once, and ends with the session', async () => {
  const name = 'application.ApplicationService/Watch';
  const stream = opened(name);
  let trailers: IncomingHttpHeaders = {};
  stream.on('trailers', (given) => {
    trailers = given;
  });
  stream.end(requestBody(name, {}));
  const [chunk] = (await once(stream, 'data')) as [Buffer];
  expect(chunk.length).toBeGreaterThan(0);
  ended.abort();
  await once(stream, 'close');
  expect(trailers['grpc-status']).toBe('16');
  expect(isStreamOpen).toBe(false);
});

test.each([
  ['application.ApplicationService/Watch', 'a stream', undefined],
  ['application.ApplicationService/Get', 'a request that is not whole', 3],
])('%s ends with its deadline while its client is still sending %s', async (name, _, length) => {
  const stream = opened(name, { 'grpc-timeout': '50m' });
  const statuses: unknown[] = [];
  const keep = (given: IncomingHttpHeaders) => statuses.push(given['grpc-status']);
  stream.on('response', keep).on('trailers', keep).resume();
  stream.write(requestBody(name, {}).subarray(0, length));
  await once(stream, 'close');
  expect(statuses).toContain('4');
});

test('an old client is refused, and a page of another site has no cookie', async () => {
  const version = 'version.VersionService/Version';
  const old = await unary(version, {}, { 'user-agent': 'argocd-client/v1.3.6 grpc-go/1.2' });
  expect(old.status).toEqual([9, expect.stringContaining('1.3.6 is older than 1.4.0')]);
  expect((await unary(version, {}, { 'user-agent': 'argocd-client/v3.5.6 grpc-go/1.84' })).status[0]).toBe(0);
  const foreign = { cookie: 'argocd.token=a.b.c', origin: 'https://evil.example' };
  expect((await unary(version, {}, foreign)).status[0]).toBe(7);
});

test('another host name, another content type and another method are refused', async () => {
  const rebound = await send(get, { headers: { ...token, ':authority': 'evil.example' } });
  expect(rebound.headers[':status']).toBe(421);
  const page = client.session.request({ ':path': '/' });
  const [error] = (await once(page, 'error')) as [NodeJS.ErrnoException];
  expect(error.message).toContain('NGHTTP2_HTTP_1_1_REQUIRED');
  const read = client.session.request({ ':method': 'GET', ':path': get, 'content-type': 'application/grpc' });
  const [headers] = (await once(read, 'response')) as [IncomingHttpHeaders];
  expect(headers[':status']).toBe(405);
});

test('compat server §3.4: gRPC-web has the status of a refusal in its headers, and of a success in its last frame', async () => {
  const web = (name: string, body: Uint8Array, headers: Record<string, string> = token) =>
    fetch(`http://127.0.0.1:${port}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/grpc-web+proto', ...headers },
      body: Buffer.from(body),
    });
  const name = 'application.ApplicationService/Get';
  const refused = await web(name, requestBody(name, { name: 'web' }), {});
  expect([refused.status, refused.headers.get('grpc-status'), refused.headers.get('grpc-message')]).toEqual([
    200,
    '16',
    'no session information',
  ]);
  expect((await refused.arrayBuffer()).byteLength).toBe(0);
  const bytes = Buffer.from(await (await web(name, requestBody(name, { name: 'web' }))).arrayBuffer());
  const trailer = bytes.indexOf(Buffer.concat([prefix(0x80, 16), Buffer.from('grpc-status: 0\r\n')]));
  expect(trailer).toBe(bytes.length - 21);
  expect(messagesIn(name, bytes.subarray(0, trailer))).toEqual([{ metadata: { name: 'web' } }]);
  const absent = await web('x.Y/Z', Buffer.alloc(5));
  expect(absent.headers.get('grpc-status')).toBe('12');
  const overHttp2 = await send(`/root/${name}`, {
    headers: { ...token, 'content-type': 'application/grpc-web+proto' },
    body: requestBody(name, { name: 'web' }),
  });
  expect(overHttp2.body.equals(bytes)).toBe(true);
});

const standardCall = async (path: string, type: string, request: object, headers = {}) => {
  const body = Buffer.concat(frameOf([encodeMessage(standard.find(type), request)]));
  const answer = await send(path, { headers, body });
  return { status: statusIn(answer), bytes: [...new MessageFrames(1e6).take(answer.body)] };
};

test('the health service is public and says what /healthz says', async () => {
  const check = async (service = '') => {
    const path = '/grpc.health.v1.Health/Check';
    const { bytes } = await standardCall(path, 'health.HealthCheckRequest', { service });
    return decodeMessage(standard.find('health.HealthCheckResponse'), bytes[0] ?? new Uint8Array()).status;
  };
  expect([await check(), await check('session.SessionService'), await check('x')]).toEqual([1, 1, 3]);
  isServing = false;
  expect(await check()).toBe(2);
  isServing = true;
});

test('the reflection service needs a session, and describes what the tables have', async () => {
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const ask = async (request: object, headers: Record<string, string> = token) => {
    const type = 'reflection.ServerReflectionRequest';
    const { status, bytes } = await standardCall(path, type, request, headers);
    const [first = new Uint8Array()] = bytes;
    const found = decodeMessage(standard.find('reflection.ServerReflectionResponse'), first);
    return { status, found: found as Record<string, Record<string, unknown>> };
  };
  expect((await ask({ listServices: '' }, {})).status[0]).toBe(16);
  const { found } = await ask({ listServices: '' });
  expect(found.listServicesResponse?.service).toContainEqual({ name: 'application.ApplicationService' });
  const absent = await ask({ fileContainingSymbol: 'no.Such' });
  expect(absent.found.errorResponse).toMatchObject({ errorCode: 5 });
  const fileOf = async (request: object) => {
    const { fileDescriptorResponse: response } = (await ask(request)).found;
    const [text = ''] = (response?.fileDescriptorProto ?? []) as string[];
    return decodeMessage(standard.find('descriptor.FileDescriptorProto'), Buffer.from(text, 'base64'));
  };
  const first = await fileOf({ fileContainingSymbol: 'application.ApplicationService.List' });
  expect(first).toMatchObject({ name: 'application.proto', package: 'application' });
  // every file that another one needs is there
  const needed = [...(first.dependency as string[])];
  const seen = new Set<string>();
  for (let name = needed.pop(); name !== undefined; name = needed.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const file = await fileOf({ fileByFilename: name });
    expect(file.name).toBe(name);
    needed.push(...((file.dependency ?? []) as string[]));
  }
  expect([...seen]).toContain('k8s/io/apimachinery/pkg/apis/meta/v1.proto');
});
