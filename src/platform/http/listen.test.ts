import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { realClock, silent, virtualClock } from '#base/std';
import { type ListenOptions, listenHttp, reportErrors } from './listen.ts';

const flags = { host: '--host', port: '--port' };
const at = (port: number, serve: ListenOptions['serve']): ListenOptions => ({
  host: '127.0.0.1',
  port,
  requestMs: 15_000,
  flags,
  serve,
});
const ctxOf = (stop: AbortController) => ({ signal: stop.signal, log: silent, clock: realClock });

test('it answers until the signal, and returns when what was begun has ended', async () => {
  const stop = new AbortController();
  const ctx = ctxOf(stop);
  let ended = false;
  const begun = new AbortController();
  const { port, run } = await listenHttp(
    ctx,
    at(0, async (_ctx, { url }, response) => {
      if (url === '/slow') {
        begun.abort();
        await once(response, 'close');
        ended = true;
      } else response.end('here');
    }),
  );
  const running = run(ctx);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here');
  const slow = fetch(`http://127.0.0.1:${port}/slow`).catch(() => 'cut');
  if (!begun.signal.aborted) await once(begun.signal, 'abort');
  stop.abort();
  await running;
  expect(ended).toBe(true);
  expect(await slow).toBe('cut');
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
});

test('a port that is taken is told with the flag that chooses another', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const listening = listenHttp(
    ctxOf(new AbortController()),
    at(port, async () => {}),
  );
  await expect(listening).rejects.toThrow(
    `cannot listen at 127.0.0.1:${port}: it is in use by another program; choose another --port`,
  );
  other.close();
});

test('out of descriptors, two thousand failed accepts are one line in the log, and one more each minute', async () => {
  const clock = virtualClock();
  const lines: unknown[] = [];
  const error = (text: string, fields: object = {}) =>
    void lines.push([text, 'failures' in fields && fields.failures]);
  const server = new Server();
  reportErrors({ signal: new AbortController().signal, log: { ...silent, error }, clock }, server);
  const failing = (times: number): void => {
    for (let i = 0; i < times; i++)
      server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  };
  failing(2_000);
  expect(lines).toEqual([['connections cannot be accepted', 1]]);
  await clock.advance(60_000);
  failing(2_000);
  expect(lines).toEqual([
    ['connections cannot be accepted', 1],
    ['connections cannot be accepted', 2_000],
  ]);
});
