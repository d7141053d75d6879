import { type Endpoint, matchPath, services } from '#serve/api';
import { type GrpcMethod, grpcMethods } from '#serve/grpc';
import type { Sent } from './ground.ts';
import { routeTable } from './table.ts';

const endpoints = Object.values(services).flatMap(
  (one) => Object.values(one) as Endpoint<unknown, unknown>[],
);
const nameOf = ({ method, path }: Endpoint<unknown, unknown>): string => `${method} ${path}`;
const templateOf = (path: string): string => path.replace(/[:*][a-zA-Z]+/g, '{}');

/** What a row reads, a row before it has created. */
const order = Object.keys(routeTable);
const rank = ({ endpoint }: { endpoint: Endpoint<unknown, unknown> }): number =>
  order.indexOf(nameOf(endpoint));

/** Each method of gRPC with the routes that it is the same as, and their rows, in the order of the route table. */
export const grpcPairs = [...grpcMethods.values()]
  .flatMap((method) =>
    method.bindings.flatMap((binding) => {
      const endpoint = endpoints.find(
        ({ method: verb, path }) => verb === binding.verb && templateOf(path) === binding.path,
      );
      const row = endpoint && routeTable[nameOf(endpoint)];
      return endpoint && row ? [{ name: method.name, method, binding, endpoint, row }] : [];
    }),
  )
  .toSorted((a, b) => rank(a) - rank(b));

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
export function requestOf({ method, binding, endpoint }: (typeof grpcPairs)[number], sent: Sent): Json {
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
