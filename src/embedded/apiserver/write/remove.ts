import { printTime } from '#base/model';
import { isObject } from '#kubernetes/schema';
import { convert } from '../convert.ts';
import { timestamp } from '../core.ts';
import { type Item, itemKey, withField, withMeta } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { conflict, forbidden, notFound } from '../status.ts';
import { Stored } from '../stored.ts';
import type { DeleteRequest } from './options.ts';
import { mutatedByHooks, reviewWrite } from './review.ts';
import { isFinished } from './update.ts';
import { settle, tableFor, type Writing } from './writing.ts';

/** `gone`: the object is removed; otherwise it is marked as being deleted. */
export type Removed = { readonly stored: Stored; readonly gone: boolean };

export const orphanFinalizer = 'orphan';
export const foregroundFinalizer = 'foregroundDeletion';

/** Deletes an object, or marks it when finalizers or a grace period hold it. */
export function remove(writing: Writing, name: string, request: DeleteRequest): Removed {
  const { resource, namespace } = writing;
  const live = tableFor(writing).get(itemKey(namespace, name));
  if (!live) throw notFound(resource, name);
  convert(live.item, resource); // admission would receive it
  checkPreconditions(resource, live.item, request);
  if (resource.collection === '/namespaces' && permanent.has(name)) {
    throw forbidden(resource, name, 'this namespace may not be deleted');
  }
  if (resource.collection === 'batch/jobs' && request.propagationPolicy === undefined)
    writing.options.warn(leftBehind);
  if (writing.session || writing.core.policies.isActive) reviewRemoval(writing, live.item, request);
  const marked = mark(writing, live.item, request);
  if (isFinished(marked)) return { stored: take(writing, live, marked), gone: true };
  return { stored: marked === live.item ? live : settle(writing, marked), gone: false };
}

/** compat cluster 3.7: the delete of a collection has no object name. */
function reviewRemoval(writing: Writing, live: Item, { isOneOfMany }: DeleteRequest): void {
  mutatedByHooks(writing, undefined, live);
  reviewWrite(writing, undefined, live, isOneOfMany ? { name: '' } : {});
}

/** compat cluster 3.7 */
const leftBehind =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** compat cluster 3.16 */
const permanent = new Set(['default', 'kube-system', 'kube-public']);

function checkPreconditions(
  { group, kind }: ServedResource,
  live: Item,
  { preconditions }: DeleteRequest,
): void {
  const { uid, resourceVersion } = preconditions;
  const { name = '', uid: ownUid, resourceVersion: ownVersion } = live.metadata;
  const of = { group, kind, plural: kind };
  if (uid !== undefined && uid !== ownUid && group === '' && kind === 'Namespace') {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${ownUid}`;
    throw conflict({ ...of, plural: 'namespaces' }, name, why);
  }
  if (uid !== undefined && uid !== ownUid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${ownUid}). The object might have been deleted and then recreated`;
    throw conflict(of, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== ownVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${ownVersion}). The object might have been modified`;
    throw conflict(of, name, why);
  }
}

function take(writing: Writing, live: Stored, last: Item): Stored {
  if (writing.options.dryRun) return live;
  // compat cluster 3.3: the watch event has the last stored state, the response has the deletion mark
  const gone = writing.core.state.remove(tableFor(writing), live.key);
  return gone ? new Stored(live.key, last, live.rv).at(gone.rv) : live;
}

/** The object with its deletion time, grace period and remaining finalizers. */
function mark(writing: Writing, live: Item, request: DeleteRequest): Item {
  const finalizers = [...finalizersFor(writing.resource, live, request), ...cleanup(writing.resource, live)];
  const held = withMeta(live, { finalizers: finalizers.length > 0 ? finalizers : undefined });
  const grace = graceOf(writing.resource, live, request);
  if (live.metadata.deletionTimestamp !== undefined) return shortened(writing, live, held, grace);
  const { generation } = live.metadata;
  const dying = withMeta(held, {
    deletionTimestamp: grace > 0 ? later(writing, grace) : timestamp(writing.core),
    // compat cluster 3.16: a namespace has no grace period
    deletionGracePeriodSeconds: writing.resource.collection === '/namespaces' ? undefined : grace,
    generation: generation === undefined || isDefinition(writing.resource) ? generation : generation + 1,
  });
  return writing.resource.collection === '/namespaces' ? terminating(dying) : dying;
}

const isDefinition = ({ collection }: ServedResource): boolean =>
  collection === 'apiextensions.k8s.io/customresourcedefinitions';

const later = ({ core }: Writing, grace: number): string =>
  printTime(new Date(core.clock.now().getTime() + grace * 1000));

/** A repeated delete can only shorten the grace period. */
function shortened(writing: Writing, live: Item, held: Item, grace: number): Item {
  const before = live.metadata.deletionGracePeriodSeconds ?? 0;
  const same = (live.metadata.finalizers?.join() ?? '') === (held.metadata.finalizers?.join() ?? '');
  if (grace >= before) return same ? live : held;
  return withMeta(held, { deletionTimestamp: later(writing, grace), deletionGracePeriodSeconds: grace });
}

function terminating(item: Item): Item {
  return withField(item, 'status', { ...(isObject(item.status) && item.status), phase: 'Terminating' });
}

/** compat cluster 3.7: only pods have a grace period, and only once they are scheduled. */
function graceOf(resource: ServedResource, live: Item, { gracePeriodSeconds }: DeleteRequest): number {
  if (resource.collection !== '/pods') return 0;
  const { nodeName, terminationGracePeriodSeconds } = (live.spec ?? {}) as PodView['spec'];
  const { phase } = (live.status ?? {}) as PodView['status'];
  if (!nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  const period =
    gracePeriodSeconds ?? live.metadata.deletionGracePeriodSeconds ?? terminationGracePeriodSeconds ?? 30;
  return Math.max(0, period);
}

/** compat cluster 3.15: a definition waits until the objects of its kind are deleted. */
const cleanup = (resource: ServedResource, { metadata }: Item): string[] =>
  isDefinition(resource) && metadata.deletionTimestamp === undefined
    ? ['customresourcecleanup.apiextensions.k8s.io']
    : [];

type PodView = {
  spec: { nodeName?: string; terminationGracePeriodSeconds?: number };
  status: { phase?: string };
};

/** compat cluster 3.7: these two orphan their dependents by default. */
const orphaning = new Set(['batch/jobs', '/replicationcontrollers']);

function finalizersFor(resource: ServedResource, live: Item, { propagationPolicy }: DeleteRequest): string[] {
  const now = live.metadata.finalizers ?? [];
  // compat cluster 3.7: an event has no dependents, so it is always deleted in the background
  const policy =
    resource.collection === '/events' ? 'Background' : (propagationPolicy ?? currentPolicy(resource, now));
  const others = now.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (policy === 'Orphan') return [...others, orphanFinalizer];
  return policy === 'Foreground' ? [...others, foregroundFinalizer] : others;
}

function currentPolicy(
  resource: ServedResource,
  finalizers: readonly string[],
): DeleteRequest['propagationPolicy'] {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  if (finalizers.includes(foregroundFinalizer)) return 'Foreground';
  return orphaning.has(resource.collection) ? 'Orphan' : 'Background';
}
