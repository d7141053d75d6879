import {
  type Application,
  effectiveSources,
  type KubeObject,
  type ResourceKey,
  refreshRequest,
  type Source,
  sameDestination,
  sameSources,
} from '#model';
import { equal } from '#std';
import type { ObjectDiff } from './diff.ts';

/** What a comparison found about one object, and of which state of it that was true. */
type CachedDiff = {
  readonly target?: KubeObject;
  readonly live?: KubeObject;
  readonly diff: ObjectDiff;
};

/** The findings of a comparison, to be looked at again in the next. Memory only: it can be lost at any time. */
export type DiffCache = {
  readonly entries: ReadonlyMap<ResourceKey, CachedDiff>;
  /** The settings they were made under; under others they mean nothing. */
  readonly under: readonly unknown[];
};

export type ReuseQuestion = {
  /** compat R-9 */
  readonly hard: boolean;
  /** The refresh interval has passed since the last reconciliation. */
  readonly isDue: boolean;
  readonly serverSideDiff: boolean;
  /** What is compared now. */
  readonly sources: readonly Source[];
  readonly revisions: readonly string[];
};

/** compat D-31: whether findings of an Application's last comparison may be used again, object by object. */
export function canReuse(app: Application, question: ReuseQuestion): boolean {
  if (question.hard || refreshRequest(app) !== undefined) return false;
  // compat D-31: asking the server for every object each time the timer rings is what a cache is for
  if (question.isDue && !question.serverSideDiff) return false;
  const { sync } = app.status ?? {};
  const recorded = sync?.revisions ?? (sync?.revision ? [sync.revision] : []);
  return equal(recorded, question.revisions) && isSameSpec(app, question.sources);
}

function isSameSpec({ spec, status }: Application, sources: readonly Source[]): boolean {
  const compared = status?.sync?.comparedTo;
  if (!compared) return false;
  const before = compared.sources ?? (compared.source ? [compared.source] : []);
  return (
    before.length === sources.length &&
    sameSources(before, sources) &&
    sameSources(sources, effectiveSources(spec)) &&
    sameDestination(compared.destination, spec.destination) &&
    equal(compared.ignoreDifferences ?? [], spec.ignoreDifferences ?? [])
  );
}

type Pair = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };

/** What is known of a pair; undefined when either side has changed since, or nothing was known. */
export function reusable(
  { key, target, live }: Pair,
  cache: DiffCache | undefined,
  under: readonly unknown[],
): ObjectDiff | undefined {
  const found = cache?.entries.get(key);
  if (!found || !cache || cache.under.some((setting, at) => setting !== under[at])) return undefined;
  return isSameLive(found.live, live) && equal(found.target, target) ? found.diff : undefined;
}

function isSameLive(before: KubeObject | undefined, now: KubeObject | undefined): boolean {
  if (before === now) return true;
  const [then, version] = [before?.metadata.resourceVersion, now?.metadata.resourceVersion];
  return version !== undefined && then === version && before?.metadata.uid === now?.metadata.uid;
}
