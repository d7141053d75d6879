import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientOf } from './client.ts';

const request = (remoteAddress: string, headers: Record<string, string> = {}, encrypted = false) =>
  ({ socket: { remoteAddress, ...(encrypted && { encrypted }) }, headers }) as unknown as IncomingMessage;
const forwarded = { 'x-forwarded-for': '198.51.100.7, 10.0.0.9', 'x-forwarded-proto': 'https' };

test('headers of a client are not believed', () => {
  expect(clientOf(request('203.0.113.5', forwarded), [])).toEqual({
    address: '203.0.113.5',
    isSecure: false,
  });
  expect(clientOf(request('203.0.113.5', forwarded), ['10.0.0.0/8']).address).toBe('203.0.113.5');
  expect(clientOf(request('203.0.113.5', {}, true), []).isSecure).toBe(true);
});

test('behind trusted proxies the client is the last address that is none of them', () => {
  const proxies = ['10.0.0.0/8', '::1', 'not an address', '10.0.0.0/99'];
  expect(clientOf(request('10.0.0.1', forwarded), proxies)).toEqual({
    address: '198.51.100.7',
    isSecure: true,
  });
  const forged = { 'x-forwarded-for': '1.1.1.1, 198.51.100.7, 10.0.0.9' };
  expect(clientOf(request('::ffff:10.0.0.1', forged), proxies)).toEqual({
    address: '198.51.100.7',
    isSecure: false,
  });
  expect(clientOf(request('::1', {}), proxies).address).toBe('0:0:0:0::/64');
});

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['', ''],
])('of an IPv6 client, %s, the network counts: %s', (address, network) => {
  expect(clientOf(request(address), []).address).toBe(network);
});
