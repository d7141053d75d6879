import type { MirrorMatch, StringMatch } from '../rollout.ts';
import type { ManagedRoute } from './managed-routes.ts';

export type VirtualDestination = { host?: string; subset?: string; port?: { number?: number } };
export type WeightedHost = { destination?: VirtualDestination; weight?: number };
/** A route of a VirtualService. */
export type HttpRoute = {
  name?: string;
  match?: unknown[];
  route?: WeightedHost[];
  mirror?: VirtualDestination;
  mirrorPercentage?: { value: number };
};

/** A managed route as Istio writes it; a mirror goes beside the destinations and weights of the `model`. */
export function managedRoute(
  route: ManagedRoute,
  model: HttpRoute,
  destination: VirtualDestination,
): HttpRoute {
  const { name } = route;
  if ('headers' in route)
    return {
      name,
      match: route.headers.map(({ headerName, headerValue }) => ({
        headers: { [headerName]: matchOf(headerValue) },
      })),
      route: [{ destination, weight: 100 }],
    };
  return {
    name,
    match: route.mirror.map(mirrorMatch),
    route: model.route ?? [],
    mirror: destination,
    mirrorPercentage: { value: route.percentage },
  };
}

function mirrorMatch({ method, path, headers }: MirrorMatch): object {
  return {
    ...(method && { method: matchOf(method) }),
    ...(path && { uri: matchOf(path) }),
    ...(headers && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, matchOf(value)])),
    }),
  };
}

/** Without empty texts, which Istio would take for a match. */
const matchOf = (match: StringMatch = {}): StringMatch =>
  Object.fromEntries(Object.entries(match).filter(([, text]) => text !== ''));
