import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { isForeign, isServedHost } from './origin.ts';

const request = (headers: Record<string, string>, method = 'GET') =>
  ({ headers: { host: 'fairlead.example', ...headers }, method }) as unknown as IncomingMessage;
const own = ['https://public.example'];

test.each<[string, Record<string, string>, boolean]>([
  ['our own page', { 'sec-fetch-site': 'same-origin' }, false],
  ['the address bar', { 'sec-fetch-site': 'none' }, false],
  ['another site', { 'sec-fetch-site': 'cross-site' }, true],
  ['a neighbour of the same domain', { 'sec-fetch-site': 'same-site' }, true],
  ['another site that claims our origin', { 'sec-fetch-site': 'cross-site', origin: own[0] ?? '' }, true],
  ['our host', { origin: 'http://fairlead.example' }, false],
  ['our public address behind a proxy', { origin: 'https://public.example' }, false],
  ['another origin', { origin: 'https://evil.example' }, true],
  ['another port', { origin: 'http://fairlead.example:8081' }, true],
  ['a page without an origin', { origin: 'null' }, true],
  ['an old browser that navigates', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, true],
  ['a script of ours in an old browser, or a program', { accept: 'application/json' }, false],
])('a request of %s', (_who, headers, expected) => {
  expect(isForeign(request(headers), own)).toBe(expected);
});

test.each([
  ['localhost:8080', true],
  ['LOCALHOST', true],
  ['127.0.0.1:8080', true],
  ['[::1]:8080', true],
  ['fairlead.localhost', true],
  ['public.example', true],
  ['tunnel.example:443', true],
  [undefined, true],
  ['evil.example:8080', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['public.example.evil.example', false],
  ['', false],
])('the Host %s on loopback', (host, expected) => {
  expect(isServedHost(host, ['https://public.example', 'tunnel.example'])).toBe(expected);
});
