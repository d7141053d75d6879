import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultSettings } from '#base/model';
import { type Ctx, realClock, runAll, silent } from '#base/std';
import { SecretValues } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import * as api from '#serve/api';
import { listenerOptionsOf, listenServer, type ServerDeps } from '#serve/server';

// Another site makes a signed-in browser send requests: forms of every kind, and scripts that may not read the answer.

const stop = new AbortController();
const ctx = { signal: stop.signal, log: silent, clock: realClock };
let url: string;
let running: Promise<void>;
let cluster: EmbeddedCluster;
let reached = 0;

beforeAll(async () => {
  // whatever a method touches, it was let in
  const touched = new Proxy(
    {},
    {
      get: () => {
        reached += 1;
        throw new Error('reached');
      },
    },
  );
  const settings = () => defaultSettings;
  const auth = {
    logins: touched,
    sessions: {
      verify: async () => ({ username: 'admin', issuer: 'argocd' }),
      untilEnd: async ({ signal }: Ctx) => void (await once(signal, 'abort')),
    },
  };
  const reading = { settings, namespace: 'argocd' };
  const context = new Proxy(reading, { get: (own, name) => Reflect.get(name in own ? own : touched, name) });
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const { server: settled } = defaultSettings;
  const listener: ServerDeps['listener'] = {
    kube,
    namespace: 'default',
    secret: new SecretValues({ kube, namespace: 'default' }),
    options: () => listenerOptionsOf({ flags: {}, isLoopback: true, server: settled }),
    changes: async function* () {},
  };
  const audit = async () => {};
  const deps = { apps: touched, context, auth, audit, listener, webhook: touched } as unknown as ServerDeps;
  const kinds = () => ({ Application: {}, AppProject: {}, ApplicationSet: {} });
  const config = { host: '127.0.0.1', port: 0, uiDir: 'ui', version: 'v1', kinds };
  const server = await listenServer(ctx, deps, config);
  url = server.url;
  running = runAll(ctx, [server.run]);
});
afterAll(async () => {
  stop.abort();
  await running;
  await cluster.close();
});

type Endpoint = { readonly method: string; readonly path: string };
const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
const changing = [api.applications, api.session]
  .flatMap((group) => Object.values(group as Record<string, unknown>))
  .filter(isEndpoint)
  .filter(({ method }) => method !== 'GET');

/** What a form can send, and what a script can without asking first. */
const simple = [
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'text/plain; application/json',
  'application/jsonp',
  '',
];

test('nothing that changes something is done for what another site can send with a cookie', async () => {
  expect(changing.length).toBeGreaterThan(5);
  for (const { method, path } of changing) {
    const address = new URL(path.replaceAll(/\{[^}]*\}|:\w+/g, 'x'), url);
    for (const type of simple) {
      const before = reached;
      const answer = await fetch(address, {
        method,
        headers: { cookie: 'argocd.token=a.b.c', origin: 'https://evil.example', 'content-type': type },
        body: '{"prune":true}',
      });
      expect({ method, path, type, status: answer.status }).toEqual({ method, path, type, status: 415 });
      expect(reached).toBe(before);
    }
  }
});

const cookie = { cookie: 'argocd.token=a.b.c' };
/** How browsers say that a page of another site is behind a request. */
const foreign: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
];
const json = { 'content-type': 'application/json' };

/** fetch sets some of these headers itself; a browser's are sent as they are. */
function send(method: string, path: string, given: Record<string, string>): Promise<number> {
  const { port, hostname } = new URL(url);
  const headers = { ...given, ...(method !== 'GET' && { 'content-length': '2' }) };
  return new Promise((resolve, reject) => {
    const sent = request({ host: hostname, port, method, path, headers }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : '{}');
  });
}

test('also as JSON, nothing is changed for a page of another site', async () => {
  for (const { method, path } of changing) {
    const address = path.replaceAll(/:\w+/g, 'x');
    for (const headers of foreign) {
      const before = reached;
      const status = await send(method, address, { ...cookie, ...json, ...headers });
      expect({ method, path, headers, status }).toEqual({ method, path, headers, status: 403 });
      expect(reached).toBe(before);
    }
  }
});

test('a link, an image or a frame of another site refreshes no application', async () => {
  const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const headers of [...foreign, page])
    for (const how of ['hard', 'normal', '']) {
      const before = reached;
      expect(await send('GET', `/api/v1/applications/x?refresh=${how}`, { ...cookie, ...headers })).toBe(403);
      expect(reached).toBe(before);
    }
  const before = reached;
  await send('GET', '/api/v1/applications/x?refresh=hard', { ...cookie, 'sec-fetch-site': 'same-origin' });
  expect(reached).toBe(before + 1);
});

test('a stream is not for a page of another site', async () => {
  for (const headers of foreign) {
    const events = { accept: 'text/event-stream', ...headers };
    expect(await send('GET', '/api/v1/stream/applications', { ...cookie, ...events })).toBe(403);
  }
});

test('a name that was made to resolve to this machine is not served', async () => {
  for (const path of ['/', '/api/version', '/api/v1/applications', '/metrics', '/api/v1/session']) {
    for (const host of [
      'evil.example',
      'evil.example:8080',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ])
      expect([path, host, await send('GET', path, { ...cookie, host })]).toEqual([path, host, 421]);
    for (const host of ['localhost', '127.0.0.1:1', '[::1]:8080'])
      expect(await send('GET', path, { ...cookie, host })).not.toBe(421);
  }
  expect(await send('GET', '/healthz', { host: '10.0.0.1' })).toBe(200);
});

test('a script of another site is not let in by a preflight, and no answer is for it to read', async () => {
  for (const path of ['/api/v1/applications', '/api/v1/session', '/api/v1/stream/applications']) {
    const answer = await fetch(new URL(path, url), {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  }
  const read = await fetch(new URL('/api/v1/applications', url), {
    headers: { origin: 'https://evil.example' },
  });
  expect(read.headers.get('access-control-allow-origin')).toBeNull();
});

test('a stream, too, wants to know who asks', async () => {
  const answer = await fetch(new URL('/api/v1/stream/applications', url), {
    headers: { accept: 'text/event-stream' },
  });
  expect(answer.status).toBe(401);
});

test('no page of ours may stand in a frame of theirs', async () => {
  const page = await fetch(new URL('/', url), { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.headers.get('x-frame-options')).toBe('sameorigin');
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain("frame-ancestors 'self'");
  expect(policy).toContain("base-uri 'none'");
  expect(policy).toContain("form-action 'self'");
  expect(policy).toContain("object-src 'none'");
  // and no script of a page's own text runs (attack 27)
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("style-src 'self'");
  expect(policy).not.toContain('unsafe');
});
