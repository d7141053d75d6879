import type { Draft } from '../pass.ts';
import type { WriteRef } from '../plan-draft.ts';
import { type CanaryStrategy, canaryOf, type Rollout } from '../rollout.ts';
import { routerTarget } from '../traffic.ts';
import { gatewayApi, gatewayPlugin } from './gateway-api.ts';
import { istio } from './istio.ts';
import { nginx } from './nginx.ts';
import { recordWeights } from './record-weights.ts';
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
  draft.areRoutesSet = true;
  const { weight, additional, canaryHash, stableHash } = target;
  const { canaryService, stableService } = canaryOf(rollout) ?? {};
  recordWeights(draft, {
    weight,
    additional,
    canary: { serviceName: canaryService, podTemplateHash: canaryHash },
    stable: { serviceName: stableService, podTemplateHash: stableHash },
    isVerified,
  });
}
