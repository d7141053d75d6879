import { type KubeObject, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError, isObject, sha256 } from '#base/std';
import { textDiff } from '#engine';
import {
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
import { type LocatedEdit, locateEdit } from './locate.ts';
import { refuseRollout } from './rollout-owner.ts';
import type { AppAtDestination, TrafficDeps, TrafficOrder } from './traffic-deps.ts';

/** What a request would do; nothing is written yet. */
export type PlannedTraffic = {
  readonly found: FoundService;
  readonly resolved: TrafficResolution;
  readonly from: readonly RevisionShare[];
  readonly isNoChange: boolean;
  /** The same plan has the same hash, whatever else changed in the repository. */
  readonly hash: string;
  /** Of a commit that changes something. */
  readonly edit?: LocatedEdit & { readonly diff: string; readonly message: string };
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
  const common = { found, resolved, from: from ?? found.facts.live, isNoChange };
  if (order.mode === 'override' || (isNoChange && order.branch === undefined))
    return { ...common, hash: hashOf([order.mode, namespace, name, resolved.traffic, from]) };
  const goal = { target: found.target, traffic: resolved.traffic, branch: order.branch };
  const edit = await locateEdit(ctx, deps, placed, goal);
  const { source, branch, file, before, after } = edit;
  if (before === after)
    return { ...common, isNoChange: true, hash: hashOf([order.mode, namespace, name, branch]) };
  const diff = textDiff(file, before, after);
  const hash = hashOf([order.mode, namespace, name, source.repoURL, branch, file, diff]);
  const message = messageOf(placed, order, { ...common, hash });
  return { ...common, isNoChange: false, hash, edit: { ...edit, diff, message } };
}

const hashOf = (parts: readonly unknown[]): string => sha256(JSON.stringify(parts)).slice(0, 40);

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
  { reason, by }: TrafficOrder,
  plan: Omit<PlannedTraffic, 'edit'>,
): string {
  const { resolved, found, from } = plan;
  const { name, namespace } = found.facts;
  const body = [
    `traffic(${name}): ${resolved.sentence}`,
    '',
    `Service ${name} in namespace ${namespace}, application ${app.metadata.name}`,
    `before: ${printTraffic(from)}`,
    `after: ${printTraffic(resolved.traffic)}`,
    ...(resolved.intent ? [`requested as ${resolved.intent}`] : []),
    ...(reason ? ['', oneLine(reason)] : []),
    '',
    `Requested-by: ${oneLine(by).slice(0, 200)}`,
  ];
  return `${body.map(oneLine).join('\n')}\n`;
}

/** Texts of users stay within their line: they make no trailers and no second subject. */
const oneLine = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, 1000);

/** Throws InvalidSpec when the plan is not the one that the user has seen. */
export function requireExpected({ hash }: PlannedTraffic, { expect }: TrafficOrder): void {
  if (expect === undefined || expect === hash) return;
  throw new FairleadError('InvalidSpec', 'the plan is another one by now: read it again, then confirm it');
}

/** Where a plan commits to, safe to show. */
export const shownRepository = ({ source }: LocatedEdit): string => withoutUserInfo(source.repoURL);
