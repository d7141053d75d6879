import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Endpoint, matchPath, services } from '#serve/api';
import { type GrpcMethod, grpcMethods } from '#serve/grpc';
import { grpcClient } from '../grpc-client.ts';
import { type RbacGround, type Sent, startRbacGround } from './rbac/ground.ts';
import { routeTable } from './rbac/table.ts';
import { type Actor, actors } from './tenants.ts';

// Every method of gRPC as every kind of caller, by the table of the REST routes: neither way reaches what the other refuses.

let tenants: RbacGround;
let client: ReturnType<typeof grpcClient>;
beforeAll(async () => {
  tenants = await startRbacGround();
  client = grpcClient(tenants.fairlead.url);
});
afterAll(async () => {
  client.close();
  await tenants.close();
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
function requestOf({ method, binding, endpoint }: (typeof pairs)[number], sent: Sent): Json {
  const { pathname, searchParams } = new URL(sent.path, 'http://localhost');
  const { body } = binding;
  const request: Json = body === '*' ? { ...(sent.body as Json) } : body === '' ? {} : { [body]: sent.body };
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

/** compat server §2.4: the HTTP status of each code of gRPC. */
const statuses: Readonly<Record<number, number>> = {
  ...{ 3: 400, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 12: 501, 14: 503, 16: 401 },
};

async function outcomeOf(actor: Actor, pair: (typeof pairs)[number]): Promise<string> {
  const { name, row } = pair;
  const request = requestOf(pair, await tenants.prepare(row));
  const token = row.withoutToken ? '' : tenants.tokens[actor];
  const refused = await client.refusal(name, request, { ...(token && { token }) });
  if (!refused) return '200';
  const { code, message } = refused;
  // a set that the caller may not see is not found, as one that does not exist
  if (name === 'applicationset.ApplicationSetService/Get' && message.endsWith('.io not found')) return '403';
  return String(statuses[code] ?? `code ${code}: ${message}`);
}

test.each(pairs)('$name', async (pair) => {
  const outcomes: string[] = [];
  for (const actor of actors) outcomes.push(await outcomeOf(actor, pair));
  expect(outcomes.join(' ')).toBe(pair.row.outcome);
});
