import {
  type Application,
  effectiveSources,
  gvkOf,
  type KubeObject,
  type ResourceKey,
  refreshRequest,
  type Source,
  sameDestination,
  sameSources,
} from '#base/model';
import { equal } from '#base/std';
import type { ObjectDiff } from './diff.ts';
import type { TypeOf } from './predict-server.ts';

/** The finding of a comparison about one object, and the versions of both sides that it holds for. */
type CachedDiff = {
  readonly target: KubeObject | undefined;
  readonly live: KubeObject | undefined;
  readonly diff: ObjectDiff;
  /** How its kind was described then. */
  readonly type: unknown;
};

/** The findings of a comparison, for the next one to reuse. Memory only: it can be lost at any time. */
export type DiffCache = {
  readonly entries: ReadonlyMap<ResourceKey, CachedDiff>;
  /** The settings of that comparison; under other settings the findings are invalid. */
  readonly under: readonly unknown[];
};

export type ReuseQuestion = {
  /** compat engine R-9 */
  readonly hard: boolean;
  readonly serverSideDiff: boolean;
  /** What is compared now. */
  readonly sources: readonly Source[];
  readonly revisions: readonly string[];
};

/**
 * compat engine D-31: whether the findings of an Application's last comparison may be reused, object by
 * object. dev: without server-side diff they always may: the same two sides under the same settings compare
 * the same.
 */
export function canReuse(app: Application, question: ReuseQuestion): boolean {
  if (question.hard) return false;
  if (!question.serverSideDiff) return true;
  if (refreshRequest(app) !== undefined) return false;
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

/** The findings, if they were made under these settings. */
export function standing(cache: DiffCache | undefined, under: readonly unknown[]): DiffCache | undefined {
  return cache?.under.every((setting, at) => setting === under[at]) ? cache : undefined;
}

/** The cached finding for a pair; undefined when either side has changed since, or none is cached. */
export function reusable(
  { key, target, live }: Pair,
  cache: DiffCache | undefined,
  typeOf: TypeOf | undefined,
): ObjectDiff | undefined {
  const found = cache?.entries.get(key);
  if (!found || !isSameLive(found.live, live) || !equal(found.target, target)) return undefined;
  return found.type === typeFor(target ?? live, typeOf) ? found.diff : undefined;
}

/** How the cluster describes the kind of an object, as far as it does. */
export const typeFor = (object: KubeObject | undefined, typeOf: TypeOf | undefined): unknown =>
  object && typeOf?.(gvkOf(object));

function isSameLive(before: KubeObject | undefined, now: KubeObject | undefined): boolean {
  if (before === now) return true;
  const [then, version] = [before?.metadata.resourceVersion, now?.metadata.resourceVersion];
  return version !== undefined && then === version && before?.metadata.uid === now?.metadata.uid;
}
