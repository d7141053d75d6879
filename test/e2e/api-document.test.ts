import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationsOf, services, summaryOf, templateOf } from '#serve/api';
import { forget } from './fairlead.ts';
import { startTenants, type Tenants } from './tenants.ts';

// The generated document of the API: complete, readable without a network, and true.

type Operation = {
  summary: string;
  operationId: string;
  tags: string[];
  parameters: { name: string; in: string }[];
  requestBody?: object;
  responses: Record<string, { description: string; content: Record<string, object> }>;
};
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

let tenants: Tenants;
let document: Document;
beforeAll(async () => {
  tenants = await startTenants();
  document = (await (await fetch(`${tenants.fairlead.url}/swagger.json`)).json()) as Document;
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

const all = operationsOf(services).map(({ endpoint }) => endpoint);

test('every endpoint of the table is in the document, with a line about it', () => {
  expect(document.openapi).toBe('3.1.0');
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.sort()).toEqual(all.map(({ method, path }) => `${method} ${templateOf(path)}`).sort());
  // one without: give `endpoint` a summary where it is declared
  expect(all.filter((one) => summaryOf(one) === '').map(({ method, path }) => `${method} ${path}`)).toEqual(
    [],
  );
});

test('operations have names of their own, and name every part of their path', () => {
  const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.values(byMethod).map((operation) => ({ path, operation })),
  );
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations) {
    const named = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`);
    expect(path.match(/\{\w+\}/g) ?? []).toEqual(named);
  }
});

/** Of the peer's methods, these answer 501 until they are switched on. */
const isOff = (path: string): boolean => path.startsWith('/api/v1/write-');

test.each(all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s answers as documented',
  async (_name, { method, path, body, answer }) => {
    if (method === 'DELETE' && path === '/api/v1/session') return; // it would end the session of the test
    const url = path.replace(/[:*][a-zA-Z]+/g, 'x');
    const stop = new AbortController();
    const response = await fetch(tenants.fairlead.url + url, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tenants.tokens.admin}` },
      ...(body && { body: '{}' }),
      signal: stop.signal,
    });
    const type = response.headers.get('content-type') ?? '';
    const text = answer === 'stream' && response.ok ? '' : await response.text();
    stop.abort();
    const documented = document.paths[templateOf(path)]?.[method.toLowerCase()];
    expect(documented).toBeDefined();
    if (response.status === 501) expect(isOff(path)).toBe(true);
    else expect(response.status).toBeLessThan(500);
    expect(text).not.toMatch(/no such path|does not take|not supported yet/);
    if (!(answer === 'stream' && response.ok)) expect(type).toContain('application/json');
  },
);

test('the page needs no script and nothing from elsewhere', async () => {
  const page = await fetch(`${tenants.fairlead.url}/swagger-ui`);
  const text = await page.text();
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect([page.status, /<script|src=|https?:\/\//i.test(text)]).toEqual([200, false]);
  for (const { path } of all) expect(text).toContain(templateOf(path));
});
