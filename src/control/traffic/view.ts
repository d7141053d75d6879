import type { Ctx } from '#base/std';
import {
  describeOverride,
  isSameService,
  type ManualTraffic,
  manualTrafficMessage,
  overridesOf,
  previousReady,
  printTraffic,
  type RevisionShare,
  type ServiceFacts,
  type TrafficOverride,
  trafficOf,
} from '#engine/traffic';
import { declaredServices, type FoundService, liveService } from './find-service.ts';
import type { AppAtDestination, TrafficDeps } from './traffic-deps.ts';

/** The traffic of one Service: what Git declares, what is in effect, and what owns the split. */
export type ServiceTraffic = {
  readonly facts: ServiceFacts;
  readonly owner: 'git' | 'knative' | 'override' | 'rollout';
  readonly ownerText: string;
  readonly declared: readonly RevisionShare[] | undefined;
  readonly override: TrafficOverride | undefined;
  /** The Revision that a rollback without a name would choose. */
  readonly previousReady: string | undefined;
};

/** The traffic of the Knative Services of an application; those that are not in the cluster are left out. */
export async function showTraffic(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  wanted: { readonly service?: string | undefined; readonly namespace?: string | undefined },
): Promise<readonly ServiceTraffic[]> {
  const declared = await declaredServices(ctx, deps, placed, 'cached');
  const chosen = declared.filter(
    ({ metadata }) =>
      (!wanted.service || metadata.name === wanted.service) &&
      (!wanted.namespace || metadata.namespace === wanted.namespace),
  );
  const { overrides } = overridesOf(placed.app);
  const shown: ServiceTraffic[] = [];
  for (const target of chosen) {
    const found = await liveService(ctx, deps, placed, target);
    if (!found) continue;
    const { facts } = found;
    const at = { service: facts.name, namespace: facts.namespace };
    const override = overrides.find((one) => isSameService(one, at));
    shown.push({ facts, ...ownedBy(found, override), ...rollbackOf(facts) });
  }
  return shown;
}

function ownedBy(
  { target, facts, rollout, manual }: FoundService,
  override: TrafficOverride | undefined,
): Pick<ServiceTraffic, 'owner' | 'ownerText' | 'declared' | 'override'> {
  const declared = trafficOf(target);
  const rest = { declared, override };
  if (override) return { owner: 'override', ownerText: describeOverride(override), ...rest };
  if (declared)
    return { owner: 'git', ownerText: `Git declares spec.traffic: ${printTraffic(declared)}`, ...rest };
  if (rollout !== undefined) return { owner: 'rollout', ownerText: rolloutText(rollout, manual), ...rest };
  const ownerText = facts.live.some(({ revisionName }) => revisionName)
    ? 'Git declares no spec.traffic: another writer set the live split'
    : 'Git declares no spec.traffic: Knative sends all traffic to the latest ready revision';
  return { owner: 'knative', ownerText, ...rest };
}

const rolloutText = (rollout: string, manual: ManualTraffic | undefined): string =>
  manual
    ? `Rollout ${rollout}, ${manualTrafficMessage(manual)} (${manual.reason}): all traffic to ${manual.revision}`
    : `Rollout ${rollout} moves the traffic by its steps`;

const rollbackOf = (service: ServiceFacts): Pick<ServiceTraffic, 'previousReady'> => ({
  previousReady: previousReady({ service, traffic: service.live }),
});
