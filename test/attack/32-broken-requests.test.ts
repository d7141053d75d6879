import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, startFairlead } from '../e2e/fairlead.ts';
import { requestBody } from '../grpc-client.ts';

// Attack 32: requests without a session that no library would send, and connections that break at the worst moment. Each ends for its
// sender alone: the process, with every other request and the controllers in it, goes on, and nothing is unforeseen.

let fairlead: Fairlead;
let port: number;

beforeAll(async () => {
  fairlead = await startFairlead('--no-demo');
  port = Number(new URL(fairlead.url).port);
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'fine', namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL: 'file:///nowhere', path: '.' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    },
  });
  await fairlead.until('fine', 'compared', ({ status }) => status?.sync !== undefined);
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

async function token(): Promise<string> {
  const response = await fetch(`${fairlead.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: fairlead.password }),
  });
  return ((await response.json()) as { token: string }).token;
}

const statusOf = async (path: string): Promise<number> => (await fetch(`${fairlead.url}${path}`)).status;

/** The status line of the response to a request with this target. */
async function statusLine(target: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text.split('\r\n', 1)[0] ?? '';
}

test.each([
  ['http://[bad/api/badge', 200],
  ['http://a:99999999/api/badge?name=x', 200],
  ['http://[bad/api/version', 200],
  ['http://[bad/api/v1/applications', 401],
  ['http://[bad/swagger.json', 200],
  ['http://[bad/auth/login', 303],
  ['//[bad/api/badge', 200],
  ['http://[bad/terminal', 404],
])('a target with an invalid host, %s, is read by its path', async (target, status) => {
  expect(await statusLine(target)).toContain(` ${status} `);
  expect(await statusOf('/healthz')).toBe(200);
});

const none = [null];
test.each([
  ['POST', '/api/v1/applicationsets', { metadata: null, spec: null }],
  ['POST', '/api/v1/projects', { project: { metadata: null, spec: { roles: none } } }],
  ['POST', '/api/v1/applications', { metadata: { name: 'a' }, spec: { sources: none } }],
  ['PUT', '/api/v1/applications/fine', { metadata: { name: 'fine' }, spec: { sources: none } }],
  ['PUT', '/api/v1/applications/fine/spec', { project: 'default', sources: none }],
])('%s %s with null where an object belongs is refused with the reason', async (method, path, body) => {
  const response = await fetch(`${fairlead.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { message } = (await response.json()) as { message: string };
  expect([response.status, message]).toEqual([400, expect.not.stringContaining('internal error')]);
});

test('a call of gRPC that is reset before its response ends alone', async () => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const path = 'session.SessionService/Create';
  const fixed = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request({ ...fixed, ':path': `/${path}` });
  stream.on('error', () => {}).end(requestBody(path, { username: 'admin', password: 'wrong' }));
  // the answer to a ping shows that the server has the call, whose refusal is late
  await new Promise((resolve) => session.ping(resolve));
  stream.close(constants.NGHTTP2_CANCEL);
  await once(stream, 'close');
  await new Promise((resolve) => session.ping(resolve));
  expect(await statusOf('/healthz')).toBe(200);
  session.destroy();
});

test('a connection that breaks before it is a terminal ends alone', async () => {
  const patch = JSON.stringify({ data: { 'exec.enabled': 'true' } });
  const named = ['configmap/argocd-cm', '--namespace', 'argocd'];
  const patched = await fairlead.kubectl('patch', ...named, '--type', 'merge', '--patch', patch);
  expect(patched.code).toBe(0);
  await expect.poll(() => statusOf('/terminal'), { timeout: 20_000 }).toBe(400);
  for (let i = 0; i < 20; i++) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nCookie: argocd.token=a.b.c';
    socket.write(`GET /terminal?pod=a HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n\r\n`);
    socket.resetAndDestroy();
  }
  expect(await statusOf('/healthz')).toBe(200);
});

test('nothing of it was unforeseen', async () => {
  expect(fairlead.log()).not.toContain('request failed');
});
