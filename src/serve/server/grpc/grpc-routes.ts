import { FairleadError } from '#base/std';
import type { PathParams } from '#serve/api';
import { type GrpcMethod, grpcMethods, restCallOf } from '#serve/grpc';
import type { RestRoute } from '../rest/routes.ts';
import { adjusted } from './adjusted.ts';

type Json = Readonly<Record<string, unknown>>;

/** A request as the method of a route takes it. */
type GrpcTarget = {
  readonly route: RestRoute;
  readonly params: PathParams;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

/** A method of gRPC and the routes of REST that it is the same as. */
export type GrpcRoute = {
  readonly method: GrpcMethod;
  /** The first of its routes: all of them have the same callers. */
  readonly route: RestRoute;
  targetOf(request: Json): GrpcTarget;
};

const keyOf = (verb: string, path: string): string => `${verb} ${path}`;

/** `/a/:name/*rest` is `/a/{}/{}` in the rules of gRPC. */
const templateOf = (path: string): string => path.replace(/[:*][a-zA-Z]+/g, '{}');

const namesIn = (path: string): string[] =>
  [...path.matchAll(/[:*]([a-zA-Z]+)/g)].map(([, name = '']) => name);

/** Every method of gRPC whose REST call has a route, by its name. The others are not supported by either. */
export function grpcRoutes(routes: readonly RestRoute[]): ReadonlyMap<string, GrpcRoute> {
  const byRule = new Map(
    routes.map((route) => [keyOf(route.endpoint.method, templateOf(route.endpoint.path)), route]),
  );
  const found = new Map<string, GrpcRoute>();
  for (const method of grpcMethods.values()) {
    const bindings = method.bindings.filter(({ verb, path }) => byRule.has(keyOf(verb, path)));
    const first = bindings.map(({ verb, path }) => byRule.get(keyOf(verb, path)))[0];
    if (!first) continue;
    const targetOf = (request: Json): GrpcTarget => {
      const { binding, path, query, body } = restCallOf(bindings, adjusted(method.name, request));
      const route = byRule.get(keyOf(binding.verb, binding.path)) ?? first;
      return { route, params: paramsOf(route, binding.fields, path), query, body };
    };
    found.set(method.name, { method, route: first, targetOf });
  }
  return found;
}

/** As in REST, where a path without them is another path. Throws InvalidSpec for one that is empty. */
function paramsOf({ endpoint }: RestRoute, fields: readonly string[], values: readonly string[]): PathParams {
  const isRest = (i: number): boolean => endpoint.path.includes('*') && i === fields.length - 1;
  const entries = namesIn(endpoint.path).map((name, i) => {
    const value = values[i] ?? '';
    if (value === '' && !isRest(i)) throw new FairleadError('InvalidSpec', `${fields[i]} is required`);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}
