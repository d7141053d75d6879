import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
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

test('a request that fails unforeseen ends its own connection, with one line in the log', async () => {
  const stop = new AbortController();
  const failures: unknown[] = [];
  const error = (text: string, { error: why }: { error?: unknown } = {}) => void failures.push([text, why]);
  const ctx = { ...ctxOf(stop), log: { ...silent, error } };
  const unforeseen = new TypeError('Invalid URL');
  const { port, run } = await listenHttp(
    ctx,
    at(0, async (_ctx, { url }, response) => {
      if (url === '/broken') throw unforeseen;
      response.end('here');
    }),
  );
  const running = run(ctx);
  await expect(fetch(`http://127.0.0.1:${port}/broken`)).rejects.toThrow();
  expect(failures).toEqual([['request failed', unforeseen]]);
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here');
  stop.abort();
  await running;
});

test.each(['websocket', 'h2c'])(
  'a client that breaks an upgrade to %s ends its own connection',
  async (protocol) => {
    const stop = new AbortController();
    const ctx = ctxOf(stop);
    const upgraded = new AbortController();
    let socket: Duplex | undefined;
    const taken = (given: Duplex): void => {
      socket = given;
      upgraded.abort();
    };
    const { port, run } = await listenHttp(ctx, {
      ...at(0, async (_ctx, request) => taken(request.socket)),
      upgrades: { isOpen: () => true, serve: async (_ctx, connection) => taken(connection.socket) },
    });
    const running = run(ctx);
    const client = connect(port, '127.0.0.1');
    client.write(`GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    await once(upgraded.signal, 'abort');
    client.resetAndDestroy();
    // without a listener of the server's own this error would be thrown
    expect(socket?.listenerCount('error')).toBeGreaterThan(0);
    if (socket && !socket.closed) await once(socket, 'close').catch(() => {});
    stop.abort();
    await running;
  },
);

test.each(['websocket', 'h2c'])(
  'an upgrade to %s behind a request in progress ends its connection',
  async (protocol) => {
    const stop = new AbortController();
    const ctx = ctxOf(stop);
    const { port, run } = await listenHttp(ctx, {
      ...at(0, async (_ctx, { url }, response) => {
        if (url !== '/slow') response.end('here');
        else await once(response, 'close');
      }),
      upgrades: { isOpen: () => true, serve: async (_ctx, { socket }) => void socket.end('upgraded') },
    });
    const running = run(ctx);
    const client = connect(port, '127.0.0.1');
    client.on('error', () => {});
    const upgrade = `Connection: Upgrade\r\nUpgrade: ${protocol}`;
    const both = ['/slow', '/'].map(
      (path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${path === '/' ? `${upgrade}\r\n` : ''}\r\n`,
    );
    client.write(both.join(''));
    let text = '';
    for await (const chunk of client) text += chunk;
    expect(text).toBe('');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here');
    stop.abort();
    await running;
  },
);

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
