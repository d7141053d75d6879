import type { KubeObject } from '#base/model';
import { type Ctx, isObject } from '#base/std';
import {
  editTraffic,
  isSameService,
  isSameTraffic,
  overridesOf,
  printTraffic,
  type RevisionShare,
  resolveTraffic,
  type TrafficResolution,
  trafficOf,
} from '#engine/traffic';
import { branchRef } from '#sources/repositories';
import { chooseService, declaredServices, type FoundService, requireLive } from './find-service.ts';
import type { EditGoal } from './locate.ts';
import { closingLines, hashOf, messageFrom, type PlannedChange, planEdit } from './planned-edit.ts';
import { refuseRollout } from './rollout-owner.ts';
import type { AppAtDestination, TrafficDeps, TrafficOrder } from './traffic-deps.ts';

/** What a request to change the traffic would do; nothing is written yet. */
export type PlannedTraffic = PlannedChange & {
  readonly resolved: TrafficResolution;
  readonly from: readonly RevisionShare[];
};

/** Plans a request on the newest commit and the live object. Throws why it is impossible. */
export async function planTraffic(
  ctx: Ctx,
  deps: TrafficDeps,
  placed: AppAtDestination,
  order: TrafficOrder,
): Promise<PlannedTraffic> {
  if (order.branch !== undefined) branchRef(order.branch);
  const declared = await declaredServices(ctx, deps, placed, 'fresh');
  const found = await requireLive(ctx, deps, placed, chooseService(placed, declared, order));
  refuseRollout(found.rollout, found.target);
  const { base, from } = startingFrom(placed, found, order);
  const upcoming = revisionNameIn(found.target);
  const resolved = resolveTraffic(order.intent, { service: found.facts, traffic: base, upcoming });
  const isNoChange = isSameTraffic(from, resolved.traffic);
  const { name, namespace } = found.facts;
  const { sentence } = resolved;
  const common = { found, resolved, sentence, from: from ?? found.facts.live, isNoChange };
  if (order.mode === 'override' || (isNoChange && order.branch === undefined))
    return { ...common, hash: hashOf([order.mode, namespace, name, resolved.traffic, from]) };
  const goal = trafficGoal(found.target, resolved.traffic, order.branch);
  return {
    ...common,
    ...(await planEdit(ctx, deps, placed, { goal, message: messageOf(placed, order, common) })),
  };
}

const trafficGoal = (
  target: KubeObject,
  traffic: readonly RevisionShare[],
  branch: string | undefined,
): EditGoal => ({
  ...{ target, branch, field: 'traffic', meanwhile: 'use an override' },
  edit: (text, at) => editTraffic(text, at, traffic),
  isReached: (object) => isSameTraffic(trafficOf(object), traffic),
});

/**
 * A commit starts from what Git declares, an override from what is in effect: so a second rollback by commit means the same as
 * the first, and one after an override makes Git catch up with it.
 */
function startingFrom(
  { app }: AppAtDestination,
  { target, facts }: FoundService,
  { mode }: TrafficOrder,
): { readonly base: readonly RevisionShare[]; readonly from: readonly RevisionShare[] | undefined } {
  const at = { service: facts.name, namespace: facts.namespace };
  const override = overridesOf(app).overrides.find((one) => isSameService(one, at));
  const declared = trafficOf(target);
  if (mode === 'commit') return { base: declared ?? facts.live, from: declared };
  const effective = override?.traffic ?? facts.live;
  return { base: effective, from: override?.traffic ?? declared ?? facts.live };
}

/** The Revision that the template names, and that Knative creates once it is applied. */
function revisionNameIn({ spec }: KubeObject): string | undefined {
  const template = isObject(spec) && isObject(spec.template) ? spec.template : {};
  const { metadata } = template;
  return isObject(metadata) && typeof metadata.name === 'string' ? metadata.name : undefined;
}

function messageOf(
  { app }: AppAtDestination,
  order: TrafficOrder,
  { resolved, found, from }: Pick<PlannedTraffic, 'resolved' | 'found' | 'from'>,
): string {
  const { name, namespace } = found.facts;
  return messageFrom([
    `traffic(${name}): ${resolved.sentence}`,
    '',
    `Service ${name} in namespace ${namespace}, application ${app.metadata.name}`,
    `before: ${printTraffic(from)}`,
    `after: ${printTraffic(resolved.traffic)}`,
    ...(resolved.intent ? [`requested as ${resolved.intent}`] : []),
    ...closingLines(order),
  ]);
}
