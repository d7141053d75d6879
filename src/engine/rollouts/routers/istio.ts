import type { KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { Draft } from '../pass.ts';
import {
  canaryOf,
  type IstioRouting,
  maxWeightOf,
  type Rollout,
  rolloutKey,
  type VirtualServiceRef,
} from '../rollout.ts';
import type { RouterTarget } from '../traffic.ts';
import type { Router } from './router.ts';

const apiVersion = 'networking.istio.io/v1alpha3';
const at = 'spec.strategy.canary.trafficRouting.istio';

type Destination = { destination?: { host?: string; subset?: string }; weight?: number };
type HttpRoute = { name?: string; route?: Destination[] };
type VirtualService = KubeObject<{ http?: HttpRoute[] }>;
type Subset = { name?: string; labels?: Record<string, string> };
type DestinationRule = KubeObject<{ subsets?: Subset[] }>;

const settingsOf = (rollout: Rollout): IstioRouting => canaryOf(rollout)?.trafficRouting?.istio ?? {};
const servicesOf = (rollout: Rollout): readonly VirtualServiceRef[] => {
  const { virtualService, virtualServices } = settingsOf(rollout);
  return virtualServices ?? (virtualService ? [virtualService] : []);
};

/** compat rollouts §6: weights of routes by host or by subset; the labels of subsets come first. */
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
    const areSubsetsSet = setSubsets(draft, target);
    const areWeightsSet = servicesOf(draft.rollout)
      .map((ref) => setOne(draft, target, ref))
      .every((isSet) => isSet);
    return areSubsetsSet && areWeightsSet;
  },
};

/** Which of the two a destination is; undefined: neither. */
function sideOf(rollout: Rollout, { destination = {} }: Destination): 'canary' | 'stable' | undefined {
  const { canaryService, stableService } = canaryOf(rollout) ?? {};
  const { destinationRule } = settingsOf(rollout);
  const host = destination.host?.split('.')[0];
  if (destinationRule) {
    const { canarySubsetName = 'canary', stableSubsetName = 'stable' } = destinationRule;
    if (destination.subset === canarySubsetName) return 'canary';
    return destination.subset === stableSubsetName ? 'stable' : undefined;
  }
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
  const routes = (found.spec?.http ?? []).filter((route) => isRouted(route, ref));
  const hasBoth = ({ route = [] }: HttpRoute): boolean => {
    const sides = new Set(route.map((one) => sideOf(rollout, one)));
    return sides.has('canary') && sides.has('stable');
  };
  if (routes.length > 0 && routes.every(hasBoth)) return undefined;
  return `${at}.virtualService.routes: VirtualService "${ref.name}" has no route with both destinations`;
}

function setOne(draft: Draft, { weight }: RouterTarget, ref: VirtualServiceRef): boolean {
  const { rollout, pass } = draft;
  const found = pass.find(apiVersion, 'VirtualService', ref.name) as VirtualService | undefined;
  if (!found) return false;
  const weights = { canary: weight, stable: maxWeightOf(rollout) - weight };
  const http = (found.spec?.http ?? []).map((route) =>
    isRouted(route, ref)
      ? {
          ...route,
          route: (route.route ?? []).map((one) => {
            const side = sideOf(rollout, one);
            return side ? { ...one, weight: weights[side] } : one;
          }),
        }
      : route,
  );
  if (equal(http, found.spec?.http)) return true;
  draft.patch(found, { metadata: { resourceVersion: found.metadata.resourceVersion }, spec: { http } });
  return false;
}

function setSubsets(draft: Draft, { canaryHash, stableHash }: RouterTarget): boolean {
  const { rollout, pass } = draft;
  const { destinationRule } = settingsOf(rollout);
  if (!destinationRule) return true;
  const found = pass.find(apiVersion, 'DestinationRule', destinationRule.name) as DestinationRule | undefined;
  if (!found) return false;
  const { canarySubsetName = 'canary', stableSubsetName = 'stable' } = destinationRule;
  const hashes = new Map([
    [canarySubsetName, canaryHash],
    [stableSubsetName, stableHash],
  ]);
  const subsets = (found.spec?.subsets ?? []).map((subset) => {
    const hash = hashes.get(subset.name ?? '');
    return hash ? { ...subset, labels: { ...subset.labels, [rolloutKey.hash]: hash } } : subset;
  });
  if (equal(subsets, found.spec?.subsets)) return true;
  draft.patch(found, { metadata: { resourceVersion: found.metadata.resourceVersion }, spec: { subsets } });
  return false;
}
