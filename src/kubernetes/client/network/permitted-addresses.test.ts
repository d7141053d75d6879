import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readText } from '../body.ts';
import { type NetworkOptions, networkTransport } from './network-transport.ts';

let connections = 0;
const server = createServer((request, response) => response.end(request.headers.host));
server.on('connection', () => {
  connections += 1;
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

const urlAt = (host: string): string => `http://${host}:${(server.address() as AddressInfo).port}`;

async function answerOf(to: { server: string; proxyUrl?: string }, options: NetworkOptions): Promise<string> {
  const transport = networkTransport({ namespace: 'default', tls: {}, user: {}, ...to }, options);
  const { signal } = new AbortController();
  try {
    return await readText((await transport({ method: 'GET', path: '/version', headers: {}, signal })).body);
  } finally {
    transport.close();
  }
}

test.each([
  ['127.0.0.1', 'at a loopback address'],
  ['localhost', 'at a loopback address'],
  ['[::ffff:127.0.0.1]', 'at a loopback address'],
  ['0.0.0.0', 'at an unspecified address'],
  ['169.254.169.254', 'at a link-local address'],
])('attack 26: a cluster at %s is not connected to where the policy forbids it', async (host, why) => {
  const options = { policy: { loopback: false } };
  const refused = { code: 'PermissionDenied', message: expect.stringContaining(why) };
  await expect(answerOf({ server: urlAt(host) }, options)).rejects.toMatchObject(refused);
  const behind = { server: 'http://192.0.2.1', proxyUrl: urlAt(host) };
  await expect(answerOf(behind, options)).rejects.toMatchObject(refused);
  expect(connections).toBe(0);
});

test('a cluster behind a permitted proxy is judged as far as its name is known here', async () => {
  const options = { policy: { loopback: true } };
  const behind = { server: 'http://169.254.169.254', proxyUrl: urlAt('127.0.0.1') };
  await expect(answerOf(behind, options)).rejects.toThrow('at a link-local address');
});

test.each<NetworkOptions>([
  {},
  { policy: { loopback: true } },
  { policy: { loopback: false, hosts: ['localhost', '127.0.0.1'] } },
])('a permitted cluster is connected to, by its address and by its name: %j', async (options) => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const url = urlAt(host);
    expect(await answerOf({ server: url }, options)).toBe(new URL(url).host);
  }
});
