import { afterAll, beforeAll, expect, test } from 'vitest';
import * as api from '#api';
import { listenServer, type ServerDeps } from '#server';
import { realClock, runAll, silent } from '#std';

// Another site makes a signed-in browser send requests: forms of every kind, and scripts that may not read the answer.

const stop = new AbortController();
const ctx = { signal: stop.signal, log: silent, clock: realClock };
let url: string;
let running: Promise<void>;
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
  const deps = { world: touched, credentials: touched, webhook: touched } as unknown as ServerDeps;
  const config = { host: '127.0.0.1', port: 0, uiDir: 'ui', version: 'v1', sessionMs: 1000 };
  const server = await listenServer(ctx, deps, config);
  url = server.url;
  running = runAll(ctx, [server.run]);
});
afterAll(async () => {
  stop.abort();
  await running;
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
    headers: { accept: 'text/event-stream', origin: 'https://evil.example' },
  });
  expect(answer.status).toBe(401);
});

test('no page of ours may stand in a frame of theirs', async () => {
  const page = await fetch(new URL('/', url), { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.headers.get('x-frame-options')).toBe('sameorigin');
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain("frame-ancestors 'self'");
  // and no script of a page's own text runs (attack 27)
  expect(policy).toContain("default-src 'self'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
});
