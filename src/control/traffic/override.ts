import { type Application, annotation, type KubeObject } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { fieldManager } from '#engine';
import {
  isSameService,
  overrideAnnotation,
  overridesOf,
  printOverrides,
  type RevisionShare,
  type TrafficOverride,
  trafficOf,
} from '#engine/traffic';
import { hasReason, refOf } from '#kubernetes/client';
import { nowText } from './commit.ts';
import { chooseService, declaredServices, requireLive } from './find-service.ts';
import { type PlannedTraffic, planTraffic } from './plan.ts';
import { requireExpected } from './planned-edit.ts';
import { applicationRef } from './refresh.ts';
import type { AppAtDestination, TrafficDeps, TrafficOrder } from './traffic-deps.ts';

const mostAttempts = 5;

/** What Knative does without a split. */
const latest: readonly RevisionShare[] = [{ latestRevision: true, percent: 100 }];

/**
 * Records the override on the Application, then changes the live Service. In this order a crash in between leaves a record that
 * the next sync or self-heal carries out, and never a change without a record.
 */
export async function overrideTraffic(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  order: TrafficOrder,
): Promise<{ readonly plan: PlannedTraffic }> {
  if (order.reason.trim() === '')
    throw new FairleadError(
      'InvalidSpec',
      'an override needs a reason: others will see it until Git catches up',
    );
  const plan = await planTraffic(ctx, deps, placed, order);
  requireExpected(plan, order.expect);
  const { found, resolved } = plan;
  const { name: service, namespace } = found.facts;
  const record: TrafficOverride = {
    service,
    namespace,
    traffic: resolved.traffic,
    action: order.intent.action,
    ...(resolved.intent && { intent: resolved.intent }),
    by: order.by.slice(0, 200),
    at: nowText(ctx),
    reason: order.reason.trim().slice(0, 1000),
  };
  await changeRecords(ctx, deps, placed.app, (all) => [
    ...all.filter((one) => !isSameService(one, record)),
    record,
  ]);
  await writeTraffic(ctx, placed, found.live, resolved.traffic);
  ctx.log.info('traffic overridden', { app: placed.app.metadata.name, service, namespace, user: order.by });
  return { plan };
}

type Which = { readonly service?: string | undefined; readonly namespace?: string | undefined };

/**
 * Ends an override: removes the record, then restores what Git declares. Throws NotFound when the API server has no record; the
 * cache may lack one that was recorded a moment ago.
 */
export async function clearOverride(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  which: Which,
): Promise<{
  readonly service: string;
  readonly namespace: string;
  readonly traffic: readonly RevisionShare[];
}> {
  const declared = await declaredServices(ctx, deps, placed, 'cached');
  const found = await requireLive(ctx, deps, placed, chooseService(placed, declared, which));
  const at = { service: found.facts.name, namespace: found.facts.namespace };
  await changeRecords(ctx, deps, placed.app, (all) => {
    const left = all.filter((one) => !isSameService(one, at));
    if (left.length === all.length)
      throw new FairleadError('NotFound', `no override of the traffic of Service ${at.service} is recorded`);
    return left;
  });
  const traffic = trafficOf(found.target) ?? latest;
  // compat rollouts RK-1: a Rollout writes its own split
  if (found.rollout === undefined) await writeTraffic(ctx, placed, found.live, traffic);
  ctx.log.info('traffic override cleared', { app: placed.app.metadata.name, ...at });
  return { ...at, traffic };
}

/** Read, changed and written against the version that was read, so that two people's overrides both stay. */
async function changeRecords(
  ctx: Ctx,
  { kube }: TrafficDeps,
  app: Application,
  change: (all: readonly TrafficOverride[]) => readonly TrafficOverride[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const now = (await kube.get(ctx, applicationRef(app))) as Application;
    const text = printOverrides(change(overridesOf(now).overrides)) ?? null;
    const annotations = { [overrideAnnotation]: text, [annotation.refresh]: 'normal' };
    const { resourceVersion } = now.metadata;
    try {
      await kube.patch(ctx, applicationRef(app), {
        type: 'merge',
        body: { metadata: { resourceVersion, annotations } },
      });
      return;
    } catch (error) {
      if (attempt >= mostAttempts || !hasReason(error, 'Conflict')) throw error;
    }
  }
}

/** With the identity that syncs the application (compat engine P-27). */
async function writeTraffic(
  ctx: Ctx,
  { destination }: AppAtDestination,
  live: KubeObject,
  traffic: readonly RevisionShare[],
): Promise<void> {
  const body = { spec: { traffic } };
  const patched = await destination
    .writer()
    .patch(ctx, refOf(live), { type: 'merge', body }, { fieldManager });
  destination.cluster.cache.put(patched);
}
