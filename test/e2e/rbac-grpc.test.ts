import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, matchPath, services } from '#serve/api';
import { type GrpcMethod, grpcMethods } from '#serve/grpc';
import { grpcClient } from '../grpc-client.ts';
import { forget } from './fairlead.ts';
import { registered } from './rbac/repositories.ts';
import type { Row } from './rbac/row.ts';
import { routeTable } from './rbac/table.ts';
import { type Actor, actors, startTenants, type Tenants } from './tenants.ts';

// Every method of gRPC as every kind of caller, by the table of the REST routes: neither way reaches what the other refuses.

let tenants: Tenants;
let client: ReturnType<typeof grpcClient>;
beforeAll(async () => {
  tenants = await startTenants();
  client = grpcClient(tenants.fairlead.url);
  const labels = { 'argocd.argoproj.io/secret-type': 'repository' };
  const metadata = { name: 'registered', namespace: 'argocd', labels };
  await tenants.fairlead.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    stringData: { url: registered },
  });
});
afterAll(async () => {
  client.close();
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

const endpoints = Object.values(services).flatMap(
  (one) => Object.values(one) as Endpoint<unknown, unknown>[],
);
const nameOf = ({ method, path }: Endpoint<unknown, unknown>): string => `${method} ${path}`;
const templateOf = (path: string): string => path.replace(/[:*][a-zA-Z]+/g, '{}');

/** In the order of the table: what a row reads, a row before it has created. */
const order = Object.keys(routeTable);
const rank = ({ endpoint }: { endpoint: Endpoint<unknown, unknown> }): number =>
  order.indexOf(nameOf(endpoint));
/** The older name of another method: it would find nothing left to delete. */
const twin = 'repository.RepositoryService/Delete';

/** The routes that a method is the same as, each with its row. */
const all = [...grpcMethods.values()].flatMap((method) =>
  method.bindings.flatMap((binding) => {
    const endpoint = endpoints.find(
      ({ method: verb, path }) => verb === binding.verb && templateOf(path) === binding.path,
    );
    const row = endpoint && routeTable[nameOf(endpoint)];
    return endpoint && row ? [{ name: method.name, method, binding, endpoint, row }] : [];
  }),
);

const pairs = all.filter(({ name }) => name !== twin).toSorted((a, b) => rank(a) - rank(b));

test('every method is a route of REST', () => {
  const without = [...grpcMethods.keys()].filter((name) => !all.some((pair) => pair.name === name));
  const open = ['version.VersionService/Version'];
  expect(without.filter((name) => !open.includes(name))).toEqual([]);
});

type Json = Record<string, unknown>;

function put(object: Json, dotted: string, value: unknown): void {
  const [name = '', ...rest] = dotted.split('.');
  if (rest.length === 0) object[name] ||= value;
  else {
    object[name] ??= {};
    put(object[name] as Json, rest.join('.'), value);
  }
}

/** The request that says what the path, the query and the body of a row say. */
function requestOf({ method, binding, endpoint, row }: (typeof pairs)[number]): Json {
  const { pathname, searchParams } = new URL(row.path, 'http://localhost');
  const { body } = binding;
  const request: Json = body === '*' ? { ...(row.body as Json) } : body === '' ? {} : { [body]: row.body };
  const params = Object.values(matchPath(endpoint.path, pathname) ?? {});
  for (const [i, field] of binding.fields.entries()) put(request, field, params[i]);
  for (const [name, text] of searchParams) put(request, name, typed(method, name, text));
  return request;
}

function typed({ request }: GrpcMethod, name: string, text: string): unknown {
  const isList = request.fields.some(({ json, type }) => json === name && type.kind === 'list');
  const value = ['true', 'false'].includes(text) ? text === 'true' : text;
  return isList ? [value] : value;
}

async function outcomeOf(actor: Actor, name: string, request: Json, { withoutToken }: Row): Promise<string> {
  const token = withoutToken ? '' : tenants.tokens[actor];
  const refused = await client.refusal(name, request, { ...(token && { token }) });
  if (!refused) return 'ok';
  const { code, message } = refused;
  // a set that the caller may not see is not found, as one that does not exist
  if (name === 'applicationset.ApplicationSetService/Get' && message.endsWith('.io not found')) return '403';
  const names: Record<number, string> = {
    16: '401',
    7: '403',
    2: 'unknown',
    12: '501',
    13: 'internal',
  };
  return names[code] ?? 'ok';
}

test.each(pairs)('$name', async (pair) => {
  const request = requestOf(pair);
  const outcomes: string[] = [];
  for (const actor of actors) outcomes.push(await outcomeOf(actor, pair.name, request, pair.row));
  expect(outcomes.join(' ')).toBe(pair.row.outcome);
});
