import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationsOf, services, summaryOf, templateOf } from '#serve/api';
import { undocumentedIn } from './documented.ts';
import { type RbacGround, startRbacGround } from './rbac/ground.ts';
import type { Row } from './rbac/row.ts';
import { routeTable } from './rbac/table.ts';

// The generated document of the API: complete, readable without a network, and true.

type Operation = {
  summary: string;
  operationId: string;
  tags: string[];
  parameters: { name: string; in: string }[];
  requestBody?: object;
  responses: Record<string, { description: string; content: Record<string, { schema?: object }> }>;
};
type Document = {
  openapi: string;
  servers: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
};

let tenants: RbacGround;
let document: Document;
beforeAll(async () => {
  tenants = await startRbacGround();
  document = (await (await fetch(`${tenants.fairlead.url}/swagger.json`)).json()) as Document;
});
afterAll(() => tenants.close());

const all = operationsOf(services).map(({ endpoint }) => endpoint);

test('every endpoint of the table is in the document, with a line about it', () => {
  expect([document.openapi, document.servers]).toEqual(['3.1.0', [{ url: '/' }]]);
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

test('every answer has a schema, and every reference leads to one', () => {
  const text = JSON.stringify(document);
  const schemas = Object.keys(document.components.schemas);
  const referred = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
  expect([...new Set(referred)].sort()).toEqual(schemas.sort());
  for (const operation of Object.values(document.paths).flatMap((one) => Object.values(one)))
    for (const { schema } of Object.values(operation.responses['200']?.content ?? {}))
      expect([operation.operationId, Object.keys(schema ?? {}).length > 0]).toEqual([
        operation.operationId,
        true,
      ]);
});

/** Requests that succeed, where those of the table of permissions are refused for another reason than a permission. */
const successful: Readonly<Record<string, Partial<Row>>> = {
  'DELETE /api/v1/projects/:name': { path: '/api/v1/projects/extra' },
};

/** Their answers need more than this program has; they are checked by the same schemas in the tests of their own. */
const answeredElsewhere = new Set([
  'POST /api/v1/clusters/:id/rotate-auth',
  'DELETE /api/v1/applications/:name/operation',
  // its first message comes with the next change
  'GET /api/v1/stream/applications/:name/resource-tree',
]);

const endpointOf = (name: string) => all.find(({ method, path }) => `${method} ${path}` === name);

/** The first message of a stream, or the whole of any other answer. */
async function textOf(response: Response, isStream: boolean): Promise<string> {
  if (!isStream || !response.body) return response.text();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    text += value ?? '';
    if (done || text.includes('\n')) break;
  }
  await reader.cancel();
  return text.split('\n')[0] ?? '';
}

test.each(Object.entries(routeTable))('%s answers as documented', async (name, row) => {
  const endpoint = endpointOf(name);
  const { path: url, body: sent } = await tenants.prepare({ ...row, ...successful[name] });
  const method = endpoint?.method ?? '';
  const response = await tenants.ask(row.withoutToken ? 'anonymous' : 'admin', method, url, sent);
  expect(response.headers.get('content-type')).toContain('application/json');
  if (answeredElsewhere.has(name)) {
    await response.body?.cancel();
    return expect(response.status).toBeLessThan(500);
  }
  const text = await textOf(response, endpoint?.answer === 'stream' && response.ok);
  expect([response.status, response.ok ? '' : text]).toEqual([200, '']);
  if (text !== '') expect(undocumentedIn(method, url, text)).toEqual([]);
});

test('the page needs no script and nothing from elsewhere', async () => {
  const page = await fetch(`${tenants.fairlead.url}/swagger-ui`);
  const text = await page.text();
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect([page.status, /<script|src=|https?:\/\//i.test(text)]).toEqual([200, false]);
  for (const { path } of all) expect(text).toContain(templateOf(path));
});
