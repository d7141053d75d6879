import type { Ctx } from '#base/std';
import { type ServiceTraffic, showTraffic } from '#control/traffic';
import type { TrafficService } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { findApplication, onApplication, placeOrRefuse } from '../applications/find.ts';
import { actionsFor, type KnativeDeps, trafficDeps } from './traffic-call.ts';

/** The traffic of the Knative Services of an application. */
export async function show(
  ctx: Ctx,
  deps: KnativeDeps,
  call: MethodCall,
): Promise<{ items: readonly TrafficService[] }> {
  const app = findApplication(deps, call, 'get');
  const destination = placeOrRefuse(deps, app);
  const wanted = {
    service: call.query.get('service') ?? undefined,
    namespace: call.query.get('namespace') ?? undefined,
  };
  const may = (mode: 'commit' | 'override'): boolean =>
    actionsFor(mode).every((action) => call.permissions.may(onApplication(deps, app, action)));
  const permitted = { commit: may('commit'), override: may('override') };
  const shown = await showTraffic(ctx, trafficDeps(deps), { app, destination }, wanted);
  return { items: shown.map((one) => ({ ...viewOf(one), may: permitted })) };
}

function viewOf(one: ServiceTraffic): Omit<TrafficService, 'may'> {
  const { facts, owner, ownerText, declared, override, previousReady } = one;
  const { service: _service, namespace: _namespace, ...recorded } = override ?? {};
  return {
    name: facts.name,
    namespace: facts.namespace,
    ...(facts.url && { url: facts.url }),
    owner,
    ownerText,
    ready: facts.isReady,
    ...(facts.message && { message: facts.message }),
    observed: facts.isObserved,
    ...(facts.rollout && { rollout: { inProgress: true as const, text: facts.rollout } }),
    revisions: facts.revisions.map(({ message, image, ...rest }) => ({
      ...rest,
      ...(message && { message }),
      ...(image && { image }),
    })),
    ...(declared && { declared }),
    live: facts.live,
    ...(override && { override: recorded as NonNullable<TrafficService['override']> }),
    ...(previousReady && { previousReady }),
  };
}
