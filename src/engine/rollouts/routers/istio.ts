import type { KubeObject } from '#base/model';
import { equal } from '#base/std';
import { experimentServices } from '../experiment-weights.ts';
import type { Draft } from '../pass.ts';
import { availableOf } from '../replica-sets.ts';
import { canaryOf, type IstioRouting, type Rollout, rolloutKey, type VirtualServiceRef } from '../rollout.ts';
import { type RouterTarget, stableWeightOf } from '../traffic.ts';
import { type HttpRoute, managedRoute, type VirtualDestination, type WeightedHost } from './istio-routes.ts';
import { managedNames } from './managed-routes.ts';
import type { Router } from './router.ts';

const apiVersion = 'networking.istio.io/v1alpha3';
const at = 'spec.strategy.canary.trafficRouting.istio';

type VirtualService = KubeObject<{ http?: HttpRoute[] }>;
type Subset = { name?: string; labels?: Record<string, string> };
type DestinationRule = KubeObject<{ host?: string; subsets?: Subset[] }>;

const settingsOf = (rollout: Rollout): IstioRouting => canaryOf(rollout)?.trafficRouting?.istio ?? {};
const servicesOf = (rollout: Rollout): readonly VirtualServiceRef[] => {
  const { virtualService, virtualServices } = settingsOf(rollout);
  return virtualServices ?? (virtualService ? [virtualService] : []);
};

/** compat rollouts §6: weights of routes by host or by subset. */
export const istio: Router = {
  references: (rollout) => {
    const { destinationRule } = settingsOf(rollout);
    return [
      ...servicesOf(rollout).map(({ name }) => ({ apiVersion, kind: 'VirtualService', name })),
      ...(destinationRule ? [{ apiVersion, kind: 'DestinationRule', name: destinationRule.name }] : []),
    ];
  },
  problem,
  setWeight: (draft, target) => {
    // compat rollouts RT-5: a subset with traffic must not move to a version that has no pods yet; the status may not show that traffic
    const isWeightFirst = availableOf(draft.pass.roles.fresh) === 0;
    const order = isWeightFirst ? [setWeights, setSubsets] : [setSubsets, setWeights];
    return order.map((set) => set(draft, target)).every((isSet) => isSet);
  },
};

/** The Service of a destination, whose host may be a whole domain name. */
const hostOf = ({ destination }: WeightedHost): string => destination?.host?.split('.')[0] ?? '';

/** Which of the two a destination is; undefined: neither. */
function sideOf(rollout: Rollout, { destination = {} }: WeightedHost): 'canary' | 'stable' | undefined {
  const { canaryService, stableService } = canaryOf(rollout) ?? {};
  const { destinationRule } = settingsOf(rollout);
  if (destinationRule) {
    const { canarySubsetName = 'canary', stableSubsetName = 'stable' } = destinationRule;
    if (destination.subset === canarySubsetName) return 'canary';
    return destination.subset === stableSubsetName ? 'stable' : undefined;
  }
  const host = hostOf({ destination });
  if (host === canaryService) return 'canary';
  return host === stableService ? 'stable' : undefined;
}

const isRouted = (route: HttpRoute, { routes = [] }: VirtualServiceRef): boolean =>
  routes.length === 0 || (route.name !== undefined && routes.includes(route.name));

function problem(draft: Draft): string | undefined {
  const { rollout, pass } = draft;
  const { destinationRule } = settingsOf(rollout);
  const { canaryService, stableService } = canaryOf(rollout) ?? {};
  if (servicesOf(rollout).length === 0) return `${at}.virtualService: names no VirtualService`;
  const both = servicesOf(rollout).flatMap(({ routes = [] }) => routes);
  const managed = managedNames(rollout).find((name) => both.includes(name));
  if (managed !== undefined)
    return `spec.strategy.canary.trafficRouting.managedRoutes: '${managed}' is a route of the VirtualService already: managed routes are created and deleted by steps`;
  if (!destinationRule && (!canaryService || !stableService))
    return `${at}: needs stableService and canaryService, or a destinationRule`;
  if (destinationRule && !pass.find(apiVersion, 'DestinationRule', destinationRule.name))
    return `${at}.destinationRule.name: DestinationRule "${destinationRule.name}" not found`;
  return servicesOf(rollout)
    .map((ref) => virtualServiceProblem(draft, ref))
    .find((found) => found !== undefined);
}

function virtualServiceProblem({ rollout, pass }: Draft, ref: VirtualServiceRef): string | undefined {
  const found = pass.find(apiVersion, 'VirtualService', ref.name) as VirtualService | undefined;
  if (!found) return `${at}.virtualService.name: VirtualService "${ref.name}" not found`;
  const routes = ownRoutes(rollout, found).filter((route) => isRouted(route, ref));
  const hasBoth = ({ route = [] }: HttpRoute): boolean => {
    const sides = new Set(route.map((one) => sideOf(rollout, one)));
    return sides.has('canary') && sides.has('stable');
  };
  if (routes.length > 0 && routes.every(hasBoth)) return undefined;
  return `${at}.virtualService.routes: VirtualService "${ref.name}" has no route with both destinations`;
}

const setWeights = (draft: Draft, target: RouterTarget): boolean =>
  servicesOf(draft.rollout)
    .map((ref) => setOne(draft, target, ref))
    .every((isSet) => isSet);

function setOne(draft: Draft, target: RouterTarget, ref: VirtualServiceRef): boolean {
  const found = draft.pass.find(apiVersion, 'VirtualService', ref.name) as VirtualService | undefined;
  if (!found) return false;
  const weighted = ownRoutes(draft.rollout, found).map((route) =>
    isRouted(route, ref) ? withWeights(draft, target, route) : route,
  );
  const model = weighted.find((route) => isRouted(route, ref)) ?? {};
  const managed = target.routes.map((route) => managedRoute(route, model, canaryDestination(draft, model)));
  const http = [...managed, ...weighted];
  if (equal(http, found.spec?.http)) return true;
  draft.patch(found, { metadata: { resourceVersion: found.metadata.resourceVersion }, spec: { http } });
  return false;
}

/** The routes that people wrote: all but the managed ones. */
function ownRoutes(rollout: Rollout, { spec }: VirtualService): HttpRoute[] {
  const managed = managedNames(rollout);
  return (spec?.http ?? []).filter(({ name }) => name === undefined || !managed.includes(name));
}

/** compat rollouts RX-3: the two versions and the Services of an Experiment share the traffic of a route. */
function withWeights(draft: Draft, target: RouterTarget, route: HttpRoute): HttpRoute {
  const { rollout } = draft;
  const weights = { canary: target.weight, stable: stableWeightOf(rollout, target) };
  const extra = new Map(target.additional.map(({ serviceName, weight }) => [serviceName, weight]));
  const foreign = experimentServices(draft);
  const destinations = (route.route ?? []).flatMap((one) => {
    const side = sideOf(rollout, one);
    if (side) return [{ ...one, weight: weights[side] }];
    const host = hostOf(one);
    const weight = extra.get(host);
    extra.delete(host);
    if (weight !== undefined) return [{ ...one, weight }];
    return foreign.has(host) ? [] : [one];
  });
  const added = [...extra].map(([host = '', weight]) => ({ destination: { host }, weight }));
  return { ...route, route: [...destinations, ...added] };
}

function setSubsets(draft: Draft, { canaryHash, stableHash, additional }: RouterTarget): boolean {
  const { rollout, pass } = draft;
  const { destinationRule } = settingsOf(rollout);
  if (!destinationRule) return true;
  const found = pass.find(apiVersion, 'DestinationRule', destinationRule.name) as DestinationRule | undefined;
  if (!found) return false;
  const { canarySubsetName = 'canary', stableSubsetName = 'stable' } = destinationRule;
  const hashes = new Map([
    [canarySubsetName, canaryHash],
    [stableSubsetName, stableHash],
    ...additional.map(
      ({ serviceName = '', podTemplateHash = '' }) => [serviceName, podTemplateHash] as const,
    ),
  ]);
  const foreign = experimentServices(draft);
  const known = (found.spec?.subsets ?? []).filter(({ name = '' }) => hashes.has(name) || !foreign.has(name));
  const missing = additional
    .filter(({ serviceName }) => !known.some(({ name }) => name === serviceName))
    .map(({ serviceName }): Subset => (serviceName ? { name: serviceName } : {}));
  const subsets = [...known, ...missing].map((subset) => {
    const hash = hashes.get(subset.name ?? '');
    return hash ? { ...subset, labels: { ...subset.labels, [rolloutKey.hash]: hash } } : subset;
  });
  if (equal(subsets, found.spec?.subsets)) return true;
  // the mark of Services, by which Argo Rollouts knows whose labels to remove after a hand-over
  const annotations = { [rolloutKey.managedBy]: draft.rollout.metadata.name };
  const { resourceVersion } = found.metadata;
  draft.patch(found, { metadata: { resourceVersion, annotations }, spec: { subsets } });
  return false;
}

/** Where a managed route sends requests: the new version, on the port of the route that is weighted. */
function canaryDestination({ rollout, pass }: Draft, model: HttpRoute): VirtualDestination {
  const { destinationRule } = settingsOf(rollout);
  const port = model.route?.[0]?.destination?.port;
  const { canaryService: host = '' } = canaryOf(rollout) ?? {};
  if (!destinationRule) return { host, ...(port && { port }) };
  const rule = pass.find(apiVersion, 'DestinationRule', destinationRule.name) as DestinationRule | undefined;
  const subset = destinationRule.canarySubsetName ?? 'canary';
  return { host: rule?.spec?.host ?? host, ...(port && { port }), subset };
}
