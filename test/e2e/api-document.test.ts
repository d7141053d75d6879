import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationsOf, services, summaryOf, templateOf } from '#serve/api';
import { undocumentedIn } from './documented.ts';
import { forget, isSettled } from './fairlead.ts';
import type { Row } from './rbac/row.ts';
import { routeTable } from './rbac/table.ts';
import { applicationOf, startTenants, type Tenants } from './tenants.ts';

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
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
};

let tenants: Tenants;
let document: Document;
let repo: string;
let commit: string;
beforeAll(async () => {
  tenants = await startTenants();
  repo = `file://${join(tenants.fairlead.folder, 'repository')}`;
  await tenants.fairlead.kubectl('create', 'namespace', 'web');
  await tenants.ask('admin', 'POST', '/api/v1/applications/web/sync', {});
  const synced = await tenants.fairlead.until('web', 'settled', isSettled);
  commit = synced.status?.sync?.revision ?? '';
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

const at = encodeURIComponent;

/** Requests that succeed, where those of the table of permissions do not. `REPO` stands for the repository of the program. */
const successful: Readonly<Record<string, Partial<Row>>> = {
  'POST /api/v1/session': { body: { username: 'admin', password: 'PASSWORD' } },
  'PUT /api/v1/account/password': {
    body: { name: 'jane', currentPassword: 'PASSWORD', newPassword: 'another-password' },
  },
  'POST /api/v1/account/:name/token': { body: { id: 'x' } },
  'PUT /api/v1/projects/:name': {
    path: '/api/v1/projects/extra',
    body: { project: { metadata: { name: 'extra' }, spec: { description: 'x' } } },
  },
  'DELETE /api/v1/projects/:name': { path: '/api/v1/projects/extra' },
  'PUT /api/v1/clusters/:id': {
    path: `/api/v1/clusters/${at('https://kubernetes.default.svc')}?updatedFields=annotations`,
    body: { server: 'https://kubernetes.default.svc', annotations: {} },
  },
  'POST /api/v1/repositories': { body: { repo: 'REPO' } },
  'GET /api/v1/repositories/:repo': { path: '/api/v1/repositories/REPO' },
  'DELETE /api/v1/repositories/:repo': { path: '/api/v1/repositories/REPO' },
  'GET /api/v1/repositories/:repo/refs': { path: '/api/v1/repositories/REPO/refs' },
  'PUT /api/v1/repositories/:repo': { path: '/api/v1/repositories/REPO', body: { repo: 'REPO' } },
  'POST /api/v1/repositories/:repo/validate': { path: '/api/v1/repositories/REPO/validate', body: 'REPO' },
  'GET /api/v1/repositories/:repo/apps': {
    path: '/api/v1/repositories/REPO/apps?appProject=shop&appName=new',
  },
  'POST /api/v1/repositories/:repo/appdetails': {
    path: '/api/v1/repositories/REPO/appdetails',
    body: { source: { repoURL: 'REPO', path: '.' }, appProject: 'shop', appName: 'web' },
  },
  'GET /api/v1/applications/:name/revisions/:revision/metadata': {
    path: '/api/v1/applications/web/revisions/COMMIT/metadata',
  },
  'DELETE /api/v1/certificates': { path: '/api/v1/certificates?hostNamePattern=none.invalid' },
  'POST /api/v1/applications/preview': { body: applicationOf('unborn', 'shop', 'REPO') },
  'PUT /api/v1/applications/:name': { body: applicationOf('web', 'shop', 'REPO') },
  'PUT /api/v1/applications/:name/spec': { body: applicationOf('web', 'shop', 'REPO').spec },
  'POST /api/v1/repocreds': { body: { url: 'https://git.invalid/' } },
  'PUT /api/v1/repocreds/:url': {
    path: `/api/v1/repocreds/${at('https://git.invalid/')}`,
    body: { url: 'https://git.invalid/' },
  },
  'DELETE /api/v1/repocreds/:url': { path: `/api/v1/repocreds/${at('https://git.invalid/')}` },
};

/** Their answers need more than this program has; they are checked by the same schemas in the tests of their own. */
const answeredElsewhere = new Set([
  'POST /api/v1/clusters',
  'DELETE /api/v1/clusters/:id',
  'POST /api/v1/clusters/:id/rotate-auth',
  'DELETE /api/v1/projects/:project/roles/:role/token/:iat',
  'POST /api/v1/applications/:name/rollback',
  'POST /api/v1/gpgkeys',
  'GET /api/v1/gpgkeys/:keyID',
  'DELETE /api/v1/gpgkeys',
  'GET /api/v1/repositories/:repo/oci-tags',
  'GET /api/v1/repositories/:repo/helmcharts',
  'GET /api/v1/applications/:name/revisions/:revision/chartdetails',
  'GET /api/v1/applications/:name/revisions/:revision/ocimetadata',
  'POST /api/v1/applications/:name/resource/actions',
  'POST /api/v1/applications/:name/resource/actions/v2',
  'DELETE /api/v1/applications/:name/operation',
  'GET /api/v1/applications/:name/pods/:pod/logs',
  // its first message comes with the next change
  'GET /api/v1/stream/applications/:name/resource-tree',
  'POST /api/v1/applications/:name/knative/traffic/plan',
  'POST /api/v1/applications/:name/knative/traffic',
  'DELETE /api/v1/applications/:name/knative/traffic',
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
  const { path, body, withoutToken } = { ...row, ...successful[name] };
  const fill = (text: string): string => text.replaceAll('PASSWORD', tenants.fairlead.password);
  const sent =
    body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body).replaceAll('REPO', repo)));
  const url = path.replace('REPO', at(repo)).replace('COMMIT', commit);
  const method = endpoint?.method ?? '';
  const response = await tenants.ask(withoutToken ? 'anonymous' : 'admin', method, url, sent);
  expect(response.headers.get('content-type')).toContain('application/json');
  if (answeredElsewhere.has(name)) {
    await response.body?.cancel();
    return expect(response.status).toBeLessThan(500);
  }
  const text = await textOf(response, endpoint?.answer === 'stream' && response.ok);
  if (response.status === 501) return expect(isOff(path)).toBe(true);
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
