import { parseJson, printJson } from '#base/std';
import type { ResolvedTraffic } from './traffic.ts';

/** compat cluster 5.6: the progress of a route's latest revisions; stored as an annotation of its ingress. */
export type GradualRollout = { readonly configurations?: readonly ConfigurationRollout[] };

type ConfigurationRollout = {
  readonly configurationName: string;
  readonly tag?: string;
  readonly percent: number;
  /** Oldest first; a single one means that no rollout is in progress. */
  readonly revisions?: readonly Share[];
  readonly stepParams: StepParams;
};

export type Share = { readonly revisionName: string; readonly percent: number };

/** Times in nanoseconds, as the annotation has them. */
type StepParams = {
  readonly starttime?: number | bigint;
  readonly nextStepTime?: number | bigint;
  readonly stepDuration?: number | bigint;
  readonly stepSize?: number;
};

const ms = (nanos: number | bigint | undefined): number => Number(BigInt(nanos ?? 0) / 1_000_000n);
const nanos = (millis: number): bigint => BigInt(Math.round(millis)) * 1_000_000n;

/** Undefined when there is none, or its shares are inconsistent. */
export function parseRollout(text: string | undefined): GradualRollout | undefined {
  if (text === undefined) return undefined;
  try {
    const rollout = parseJson(text) as GradualRollout;
    return (rollout.configurations ?? []).every(isSound) ? rollout : undefined;
  } catch {
    return undefined;
  }
}

function isSound({ percent, revisions = [], stepParams }: ConfigurationRollout): boolean {
  const total = revisions.reduce((sum, share) => sum + share.percent, 0);
  const { stepSize = 0 } = stepParams ?? {};
  return percent <= 100 && total === percent && stepSize >= 0 && stepSize <= percent;
}

export const printRollout = (rollout: GradualRollout): string => printJson(rollout);

/** The end of the rollout: all traffic of each configuration on its latest ready revision. */
export function goalOf(targets: readonly Floating[]): GradualRollout {
  const floating = targets.filter((target) => target.configurationName !== undefined);
  const main = floating.filter(({ percent = 0 }) => percent > 0);
  const percent = main.reduce((sum, target) => sum + (target.percent ?? 0), 0);
  const [first] = main;
  const untagged: ConfigurationRollout[] = first
    ? [shareAll(first.configurationName ?? '', '', percent, first.revisionName)]
    : [];
  const tagged = floating
    .filter(({ tag }) => tag)
    .map(({ tag = '', configurationName = '', revisionName }) =>
      shareAll(configurationName, tag, 100, revisionName),
    );
  return {
    configurations: [...untagged, ...tagged].sort((a, b) => ((a.tag ?? '') < (b.tag ?? '') ? -1 : 1)),
  };
}

const shareAll = (
  name: string,
  tag: string,
  percent: number,
  revisionName: string,
): ConfigurationRollout => ({
  configurationName: name,
  ...(tag && { tag }),
  percent,
  revisions: [{ revisionName, percent }],
  stepParams: {},
});

/** The state that follows `before` on the way to `goal`. */
export function step(goal: GradualRollout, before: GradualRollout | undefined, now: number): GradualRollout {
  const configurations = (goal.configurations ?? []).map((target) => {
    const old = before?.configurations?.find(
      (one) => one.configurationName === target.configurationName && (one.tag ?? '') === (target.tag ?? ''),
    );
    return old && target.percent > 1 ? stepOne(target, old, now) : target;
  });
  return { configurations };
}

function stepOne(goal: ConfigurationRollout, old: ConfigurationRollout, now: number): ConfigurationRollout {
  const shares = adjusted(old.revisions ?? [], goal.percent - old.percent);
  const latest = goal.revisions?.at(-1)?.revisionName ?? '';
  const last = shares.at(-1);
  if (!last) return goal;
  if (last.revisionName !== latest) return started(goal, shares, latest, now);
  if (shares.length < 2) return goal;
  const { stepParams } = old;
  const isDue = (stepParams.stepSize ?? 0) > 0 && now >= ms(stepParams.nextStepTime);
  if (!isDue) return { ...goal, revisions: shares, stepParams };
  const moved = move(shares, stepParams.stepSize ?? 0, goal.percent);
  if (moved.length < 2) return { ...goal, revisions: moved };
  const nextStepTime = nanos(now + ms(stepParams.stepDuration));
  return { ...goal, revisions: moved, stepParams: { ...stepParams, nextStepTime } };
}

/** The configuration's share of the route has changed: the newest revision gains, or the oldest lose. */
function adjusted(shares: readonly Share[], difference: number): readonly Share[] {
  if (difference >= 0) {
    return shares.map((share, index) =>
      index === shares.length - 1 ? { ...share, percent: share.percent + difference } : share,
    );
  }
  let left = -difference;
  return shares
    .map((share) => {
      const taken = Math.min(left, share.percent);
      left -= taken;
      return { ...share, percent: share.percent - taken };
    })
    .filter(({ percent }) => percent > 0);
}

/** A new revision starts with one percent, taken from the newest that has any. */
function started(
  goal: ConfigurationRollout,
  shares: readonly Share[],
  latest: string,
  now: number,
): ConfigurationRollout {
  const donor = shares.findLastIndex(({ percent }) => percent > 0);
  const rest = shares
    .map((share, index) => (index === donor ? { ...share, percent: share.percent - 1 } : share))
    .filter(({ percent }) => percent > 0);
  const revisions = [...rest, { revisionName: latest, percent: 1 }];
  return { ...goal, revisions, stepParams: { starttime: nanos(now) } };
}

/** Moves one step to the newest revision, taken from the others, newest first. */
function move(shares: readonly Share[], size: number, total: number): readonly Share[] {
  const newest = shares.at(-1);
  if (!newest) return shares;
  let left = size;
  const rest: Share[] = [];
  for (const share of shares.slice(0, -1).toReversed()) {
    const taken = Math.min(left, share.percent);
    left -= taken;
    if (share.percent > taken) rest.unshift({ ...share, percent: share.percent - taken });
  }
  return [...rest, { ...newest, percent: Math.min(total, newest.percent + size) }];
}

/** The ingress serves the first percent: the time that took decides the size and the interval of the steps. */
export function observeReady(rollout: GradualRollout, now: number, durationSeconds: number): GradualRollout {
  const configurations = (rollout.configurations ?? []).map((one) => {
    const { starttime, stepDuration } = one.stepParams;
    if (starttime === undefined || stepDuration !== undefined) return one;
    const took = Math.max(1, Math.ceil((now - ms(starttime)) / 1000));
    const steps = Math.min(Math.max(1, (durationSeconds - took) / took), Math.max(1, one.percent - 1));
    const duration = ((durationSeconds - took) / steps) * 1000;
    const stepParams = {
      starttime,
      nextStepTime: nanos(now + duration),
      stepDuration: nanos(duration),
      stepSize: Math.round((one.percent - 1) / steps),
    };
    return { ...one, stepParams };
  });
  return { configurations };
}

export const isDone = ({ configurations = [] }: GradualRollout): boolean =>
  configurations.every(({ revisions = [] }) => revisions.length < 2);

/** When the next step is due, in milliseconds. */
export function nextStepAt({ configurations = [] }: GradualRollout): number | undefined {
  const times = configurations
    .filter(({ revisions = [], stepParams }) => revisions.length > 1 && stepParams.nextStepTime !== undefined)
    .map(({ stepParams }) => ms(stepParams.nextStepTime));
  return times.length > 0 ? Math.min(...times) : undefined;
}

export type Floating = ResolvedTraffic & { readonly configurationName?: string };

/**
 * The current shares of a target under a tag ('': of the whole route); a target that does not float keeps its own
 * share.
 */
export function sharesOf(rollout: GradualRollout, target: Floating, tag: string): readonly Share[] {
  const { configurationName, revisionName, percent = 0 } = target;
  const found = rollout.configurations?.find(
    (one) => one.configurationName === configurationName && (one.tag ?? '') === tag,
  );
  return found?.revisions ?? [{ revisionName, percent: tag === '' ? percent : 100 }];
}

/** The traffic for a route's own hosts (tag '') or for those of a tag. */
export type Direction = { readonly tag: string; readonly shares: readonly Share[] };

/** The route's own hosts, then each tag; a tag gets all traffic of its hosts, whatever its share of the route. */
export function directionsOf(rollout: GradualRollout, targets: readonly Floating[]): Direction[] {
  const names = new Set<string>();
  const main = targets.filter(({ percent = 0, configurationName }) => {
    const isRepeated = configurationName !== undefined && names.has(configurationName);
    if (configurationName !== undefined && percent > 0) names.add(configurationName);
    return percent > 0 && !isRepeated;
  });
  const tagged = targets.filter(({ tag }) => tag).sort((a, b) => ((a.tag ?? '') < (b.tag ?? '') ? -1 : 1));
  return [
    { tag: '', shares: main.flatMap((target) => sharesOf(rollout, target, '')) },
    ...tagged.map((target) => {
      const { tag = '' } = target;
      return { tag, shares: sharesOf(rollout, target, tag) };
    }),
  ];
}
