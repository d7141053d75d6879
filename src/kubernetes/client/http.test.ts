import { expect, test } from 'vitest';
import { type Ctx, type LogFields, type Logger, silent, virtualClock } from '#base/std';
import { createHttp } from './http.ts';
import type { KubeRequest, KubeResponse, Transport } from './transport.ts';

const clock = virtualClock();
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock };

/** Answers in the given order, and again with the last; remembers what it was asked. */
function scripted(...answers: Partial<KubeResponse>[]): { transport: Transport; seen: KubeRequest[] } {
  const seen: KubeRequest[] = [];
  const transport: Transport = async (request) => {
    seen.push(request);
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    return { status: 200, headers: {}, body: '{}', ...answer };
  };
  return { transport, seen };
}
const status = (code: number, reason: string) =>
  JSON.stringify({ kind: 'Status', code, reason, message: reason });

test('asks for JSON, says who is asking, and loses no digit', async () => {
  const { transport, seen } = scripted({ body: '{"big":9007199254740993123,"small":1.50}' });
  const http = createHttp({ transport, impersonate: 'jane' });
  const answer = await http.json(ctx, {
    method: 'GET',
    path: '/x',
    query: { a: 'b c', none: undefined, empty: '', n: 0, t: true },
  });
  expect(answer).toEqual({ big: 9007199254740993123n, small: 1.5 });
  expect(seen[0]).toMatchObject({
    method: 'GET',
    path: '/x?a=b+c&n=0&t=true',
    headers: { accept: 'application/json', 'user-agent': 'fairlead', 'impersonate-user': 'jane' },
  });
  expect(seen[0]).not.toHaveProperty('body');
});

test('invariant 5: waits as long as the server asks, then tries again', async () => {
  const { transport, seen } = scripted(
    { status: 429, headers: { 'Retry-After': '7' }, body: status(429, 'TooManyRequests') },
    { status: 503, headers: { 'retry-after': '0.5' }, body: status(503, 'ServiceUnavailable') },
    { body: '{"ok":true}' },
  );
  const started = clock.now().getTime();
  const answer = clock.autoAdvance(
    createHttp({ transport }).json(ctx, { method: 'POST', path: '/x', body: '{}' }),
  );
  expect(await answer).toEqual({ ok: true });
  expect(clock.now().getTime() - started).toBe(7_500);
  expect(seen.map(({ headers }) => headers['content-type'])).toEqual(Array(3).fill('application/json'));
});

test('a refusal without Retry-After is not repeated; an asking that never ends is given up', async () => {
  const once = scripted({ status: 503, body: status(503, 'ServiceUnavailable') });
  await expect(createHttp(once).text(ctx, { method: 'GET', path: '/x' })).rejects.toMatchObject({
    reason: 'ServiceUnavailable',
  });
  expect(once.seen.length).toBe(1);
  const busy = scripted({
    status: 429,
    headers: { 'retry-after': '3600' },
    body: status(429, 'TooManyRequests'),
  });
  const started = clock.now().getTime();
  const answer = clock.autoAdvance(createHttp(busy).lines(ctx, { method: 'GET', path: '/x' }));
  await expect(answer).rejects.toMatchObject({ reason: 'TooManyRequests' });
  expect(busy.seen.length).toBe(11);
  expect(clock.now().getTime() - started).toBe(10 * 60_000);
});

test('waiting ends with the ctx', async () => {
  const { transport } = scripted({ status: 429, headers: { 'retry-after': '60' } });
  const stop = new AbortController();
  const answer = createHttp({ transport }).text(
    { ...ctx, signal: stop.signal },
    { method: 'GET', path: '/x' },
  );
  stop.abort(new Error('shutting down'));
  await expect(answer).rejects.toThrow('shutting down');
});

test('warnings reach the caller every time and the log once', async () => {
  const logged: LogFields[] = [];
  const log: Logger = { ...silent, warn: (_message, fields = {}) => logged.push(fields) };
  const warning =
    '299 - "v1beta1 is deprecated", 299 - "say \\"hi\\"" "Thu, 01 Jan 2026 00:00:00 GMT", nonsense';
  const { transport } = scripted({ headers: { Warning: warning } });
  const http = createHttp({ transport });
  const told: string[] = [];
  for (let i = 0; i < 2; i++) {
    await http.text(
      { ...ctx, log },
      { method: 'GET', path: '/x', onWarning: (message) => told.push(message) },
    );
  }
  expect(told).toEqual(['v1beta1 is deprecated', 'say "hi"', 'v1beta1 is deprecated', 'say "hi"']);
  expect(logged.map(({ warning: text }) => text)).toEqual(['v1beta1 is deprecated', 'say "hi"']);
});

test('an answer that is not JSON is an error that names the request', async () => {
  const { transport } = scripted({ body: '<html>' });
  await expect(createHttp({ transport }).json(ctx, { method: 'GET', path: '/x' })).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'the answer to GET /x is not JSON',
  });
});

test('an answer that sends us elsewhere is no answer of an API server', async () => {
  const { transport } = scripted({
    status: 302,
    headers: { location: 'https://login.test' },
    body: '<html>',
  });
  await expect(createHttp({ transport }).text(ctx, { method: 'GET', path: '/x' })).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'the server answered 302 without saying why',
  });
});
