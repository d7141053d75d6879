import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realClock, silent } from '#base/std';
import { policyOf } from '../../../../test/policy.ts';
import { serveRest } from './serve.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const options = {
  routes: [],
  policy: policyOf(),
  audit: async () => {},
  reached: () => ({ trustedProxies: [], origins: [], cookiePath: '/' }),
  sessions: {
    verify: () => Promise.reject(new Error('no session')),
    untilEnd: async () => {},
    renewed: async () => undefined,
    isAnonymousAllowed: false,
  },
};
const server = createServer((request, response) => {
  serveRest(ctx, options, { request, response }).catch(() => response.destroy());
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test.each([
  {
    method: 'GET',
    path: '/api/v1/applicationsets',
    status: 501,
    code: 12,
    message: 'not supported yet: GET ',
  },
  { method: 'PUT', path: '/api/v1/projects/shop', status: 501, code: 12, message: 'not supported yet: PUT ' },
  { method: 'GET', path: '/api/v1/frobnicate', status: 404, code: 5, message: 'no such path: ' },
  { method: 'GET', path: '/api/v2/applications', status: 404, code: 5, message: 'no such path: ' },
])('$method $path answers in the envelope of errors', async ({ method, path, status, code, message }) => {
  const response = await fetch(`${url}${path}`, { method });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ error: `${message}${path}`, code, message: `${message}${path}` });
});
