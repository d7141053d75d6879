import { stepIndexOf } from '../canary-replicas.ts';
import { revisionOf } from '../replica-sets.ts';
import { canaryOf, type HeaderMatch, type MirrorMatch, type Rollout, stepsOf } from '../rollout.ts';

/** A route of its own that a step requests: for requests with certain headers, or with a copy of requests. */
export type ManagedRoute = { readonly name: string } & (
  | { readonly headers: readonly HeaderMatch[] }
  | { readonly mirror: readonly MirrorMatch[]; readonly percentage: number }
);

/** The names of the routes that belong to the Rollout, the first of them first. */
export const managedNames = (rollout: Rollout): readonly string[] =>
  (canaryOf(rollout)?.trafficRouting?.managedRoutes ?? []).map(({ name }) => name);

/**
 * compat rollouts RT-5: the routes that the steps up to the current one request, in the order of `managedRoutes`. They
 * follow from the steps and not from what was written before: a route that is lost is written again.
 */
export function routesAtStep(rollout: Rollout): readonly ManagedRoute[] {
  const index = stepIndexOf(rollout);
  if (index === undefined || revisionOf(rollout) <= 1) return [];
  const routes = new Map<string, ManagedRoute>();
  for (const route of requestedRoutes(rollout, index + 1)) {
    routes.delete(route.name);
    if (!isRemoval(route)) routes.set(route.name, route);
  }
  return managedNames(rollout).flatMap((name) => routes.get(name) ?? []);
}

/** Every route that the first steps request, removals among them. */
export function requestedRoutes(rollout: Rollout, steps = Number.POSITIVE_INFINITY): readonly ManagedRoute[] {
  return stepsOf(rollout)
    .slice(0, steps)
    .flatMap(({ setHeaderRoute, setMirrorRoute }): ManagedRoute[] => {
      if (setHeaderRoute) return [{ name: setHeaderRoute.name ?? '', headers: setHeaderRoute.match ?? [] }];
      if (!setMirrorRoute) return [];
      const { name = '', match = [], percentage = 100 } = setMirrorRoute;
      return [{ name, mirror: match, percentage }];
    });
}

/** compat rollouts §2: a step without a match removes its route. */
export const isRemoval = (route: ManagedRoute): boolean =>
  ('headers' in route ? route.headers : route.mirror).length === 0;
