import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { ConnectionPool } from './connection-pool.ts';
import { fetchWeb, type WebRequest } from './request.ts';
import { noTrust } from './trust.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const outside = { egress: { loopback: true }, trust: noTrust, proxy: {} };
let connections: Set<Socket>;
let opened: number;
let server: ReturnType<typeof createServer>;
let keep: ConnectionPool;
const waiting: (() => void)[] = [];

beforeEach(async () => {
  connections = new Set();
  opened = 0;
  server = createServer((request, response) => {
    if (request.url === '/slow') waiting.push(() => response.end('x'));
    else response.end('x');
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket: Socket) => {
    opened += 1;
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keep = new ConnectionPool();
});
afterEach(() => {
  keep.close();
  server.closeAllConnections();
  server.close();
});

const ask = (more: Partial<WebRequest> = {}): Promise<unknown> => {
  const { port } = server.address() as AddressInfo;
  return fetchWeb(ctx, outside, {
    url: new URL(`http://127.0.0.1:${port}/`),
    most: 10,
    ms: 5_000,
    keep,
    ...more,
  });
};
const as = (user: string): Partial<WebRequest> => ({ headers: { authorization: user } });
const allClosed = async (): Promise<void> => {
  await Promise.all(
    [...connections].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
  );
};

test('a request takes the connection of the one before it, unless somebody else asked', async () => {
  for (let round = 0; round < 3; round++) await ask();
  expect(opened).toBe(1);
  await ask(as('joe'));
  expect(opened).toBe(2);
  await ask(as('joe'));
  expect(opened).toBe(2);
});

test('of several at once one is kept', async () => {
  await Promise.all(Array.from({ length: 5 }, () => ask()));
  expect(opened).toBe(5);
  await ask();
  expect(opened).toBe(5);
});

test('there is room for so many users, and the others have connections of their own', async () => {
  for (let user = 0; user < 40; user++) await ask(as(`user-${user}`));
  expect(connections.size).toBeLessThanOrEqual(33); // the last one may still be closing
  expect(opened).toBe(40);
});

test('one that nobody takes any more ends', async () => {
  keep = new ConnectionPool(50);
  await ask();
  await allClosed();
  await ask();
  expect(opened).toBe(2);
});

test('in the end all do, and who still waits is answered', async () => {
  await ask(as('joe'));
  const { port } = server.address() as AddressInfo;
  const arrived = once(server, 'request');
  const slow = ask({ url: new URL(`http://127.0.0.1:${port}/slow`) });
  await arrived;
  expect(connections.size).toBe(2);
  keep.close();
  for (const answer of waiting.splice(0)) answer();
  expect(await slow).toMatchObject({ status: 200 });
  await allClosed();
  await ask();
  await allClosed();
});
