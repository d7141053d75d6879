import { finalizer, type KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import type { ClusterCache } from '#control/live';
import { fieldManager, runOfHook } from '#engine';
import { type DeleteOptions, hasReason, type KubeClient, refOf } from '#kubernetes/client';
import { untilObserved } from '../pacing/write-each.ts';

/** Propagation policies: the sync option's value to the API server's. */
const policies = { foreground: 'Foreground', background: 'Background', orphan: 'Orphan' } as const;
type Propagation = NonNullable<DeleteOptions['propagationPolicy']>;
type From<Verbs extends keyof KubeClient> = {
  readonly kube: Pick<KubeClient, Verbs>;
  readonly cache: Pick<ClusterCache, 'put' | 'drop' | 'owes' | 'ownedBy'>;
};

/**
 * Deletes the object with the UID that was observed. Returns the object while finalizers block its deletion; undefined: it is
 * deleted. Throws Conflict when another object has its name by now.
 */
export async function deleteObserved(
  ctx: Ctx,
  kube: Pick<KubeClient, 'delete'>,
  live: KubeObject,
  propagationPolicy: Propagation,
): Promise<KubeObject | undefined> {
  const { uid } = live.metadata;
  const options = { propagationPolicy, ...(uid && { preconditions: { uid } }) };
  return kube.delete(ctx, refOf(live), options).catch((error: unknown) => {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  });
}

/** The same when an object that is already deleted, or replaced under the same name, is also a success. Safe to repeat. */
export async function deleteIfPresent(
  ctx: Ctx,
  { kube, cache }: From<'delete'>,
  live: KubeObject,
  propagation: keyof typeof policies,
): Promise<void> {
  const policy = propagation === 'foreground' && ownsNothing(cache, live) ? 'background' : propagation;
  const left = await deleteObserved(ctx, kube, live, policies[policy]).catch(unlessGone);
  const { namespace, name } = live.metadata;
  const finalizers = left?.metadata.finalizers;
  ctx.log.info(left ? 'object deletion requested: its finalizers are pending' : 'object deleted', {
    kind: live.kind,
    namespace,
    name,
    ...(finalizers && { finalizers }),
  });
  if (left) cache.put(left);
  await untilObserved(ctx, cache, left ?? live, !left);
  // the next pass would otherwise delete it once more while its watch event is late
  if (!left) cache.drop(live);
}

const plain: ReadonlySet<string> = new Set(['ConfigMap', 'Secret']);

/**
 * dev engine A-28, S-39: it has no dependents, and no controller is about to create any. With foreground propagation the
 * API server would write it with a finalizer, send a watch event, and wait for the garbage collector to write it again.
 */
function ownsNothing(
  cache: Pick<ClusterCache, 'ownedBy'>,
  { apiVersion, kind, metadata }: KubeObject,
): boolean {
  return apiVersion === 'v1' && plain.has(kind) && cache.ownedBy(metadata.uid ?? '').length === 0;
}

/**
 * Removes our finalizer from a hook (engine S-10), so that it does not block the hook's deletion. Safe to repeat.
 * Only from the version that was read: other actors add and remove finalizers of the same list.
 */
export async function removeHookFinalizer(
  ctx: Ctx,
  { kube, cache }: From<'patch' | 'find'>,
  live: KubeObject,
): Promise<void> {
  let seen: KubeObject | undefined = live;
  for (let attempt = 0; seen && isSameHook(seen, live); attempt++) {
    try {
      const released = await withoutHookFinalizer(ctx, kube, seen);
      return cache.put(released);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      if (!hasReason(error, 'Conflict') || attempt === maxConflicts) throw error;
      seen = await kube.find(ctx, refOf(live));
    }
  }
}

const maxConflicts = 5;

/** Not one that was recreated since, nor one that the next run of the hook has taken over. */
const isSameHook = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.uid === b.metadata.uid && runOfHook(a) === runOfHook(b);

async function withoutHookFinalizer(
  ctx: Ctx,
  kube: Pick<KubeClient, 'patch'>,
  seen: KubeObject,
): Promise<KubeObject> {
  const { finalizers = [], resourceVersion } = seen.metadata;
  const others = finalizers.filter((name) => name !== finalizer.hook);
  if (others.length === finalizers.length) return seen;
  const body = { metadata: { finalizers: others, resourceVersion } };
  return kube.patch(ctx, refOf(seen), { type: 'merge', body }, { fieldManager });
}

function unlessGone(error: unknown): undefined {
  // another object under the same name means that the observed one is deleted
  if (hasReason(error, 'NotFound') || hasReason(error, 'Conflict')) return undefined;
  throw error;
}
