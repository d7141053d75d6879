import { equal } from '#base/std';
import type { Draft, WriteRef } from '../pass.ts';
import { type CanaryStrategy, canaryOf, maxWeightOf, type Rollout, type TrafficWeights } from '../rollout.ts';
import { type RouterTarget, routerTarget } from '../traffic.ts';
import { gatewayApi, gatewayPlugin } from './gateway-api.ts';
import { istio } from './istio.ts';
import { nginx } from './nginx.ts';
import type { Router } from './router.ts';

/** The routers by the field of `trafficRouting`, or by the name of the plugin. */
const routers: ReadonlyMap<string, Router> = new Map([
  ['nginx', nginx],
  ['istio', istio],
  [gatewayPlugin, gatewayApi],
]);

/** The objects that the routers of a Rollout read and write. */
export const routedObjects = (rollout: Rollout): readonly WriteRef[] =>
  canaryOf(rollout)?.trafficRouting
    ? routersOf(rollout).flatMap(({ router }) => router?.references(rollout) ?? [])
    : [];

/** The configured routers: their names, and those of them that are known. */
export function routersOf(rollout: Rollout): readonly { readonly name: string; readonly router?: Router }[] {
  const {
    managedRoutes: _routes,
    maxTrafficWeight: _max,
    plugins = {},
    ...own
  } = (canaryOf(rollout) as CanaryStrategy).trafficRouting ?? {};
  const names = [...Object.keys(own).filter((name) => own[name]), ...Object.keys(plugins)];
  return names.map((name) => {
    const router = routers.get(name);
    return { name, ...(router && { router }) };
  });
}

/** compat rollouts RT-5, RT-6: brings the routers to the weight of this state and records it. */
export function reconcileTraffic(draft: Draft): void {
  const { rollout, status } = draft;
  if (!canaryOf(rollout)?.trafficRouting) {
    delete status.canary?.weights;
    return;
  }
  const target = routerTarget(draft);
  if (!target) return;
  let isVerified = true;
  for (const { router } of routersOf(rollout)) {
    isVerified = (router?.setWeight(draft, target) ?? true) && isVerified;
  }
  record(draft, target, isVerified);
}

function record(draft: Draft, target: RouterTarget, isVerified: boolean): void {
  const { rollout, status } = draft;
  const { canaryService, stableService } = canaryOf(rollout) ?? {};
  const before = rollout.status?.canary?.weights;
  const weights: TrafficWeights = {
    canary: {
      weight: target.weight,
      ...(canaryService && { serviceName: canaryService }),
      podTemplateHash: target.canaryHash,
    },
    stable: {
      weight: maxWeightOf(rollout) - target.weight,
      ...(stableService && { serviceName: stableService }),
      podTemplateHash: target.stableHash,
    },
    verified: isVerified,
  };
  if (!isVerified) draft.wake(draft.pass.now.getTime() + 10_000);
  status.canary = { ...status.canary, weights };
  if (before && equal(plain(before), plain(weights))) return;
  const from = before ? `from ${before.canary.weight} to` : 'to';
  if (!before || before.canary.weight !== weights.canary.weight)
    draft.event('TrafficWeightUpdated', `Traffic weight updated ${from} ${weights.canary.weight}`);
}

const plain = ({ verified: _verified, ...rest }: TrafficWeights) => rest;
