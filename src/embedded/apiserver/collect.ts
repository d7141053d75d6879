import { groupOf, type OwnerReference } from '#base/model';
import type { BackgroundTasks } from './background-tasks.ts';
import type { Core } from './core.ts';
import { type Item, nameOf, namespaceOf } from './item.ts';
import type { Committed, StoredAt } from './state.ts';
import type { Stored } from './stored.ts';
import { internalWrite, plainDelete, resourceFor } from './write/internal-write.ts';
import type { DeleteRequest } from './write/options.ts';
import { patch } from './write/patch.ts';
import { foregroundFinalizer, orphanFinalizer, remove } from './write/remove.ts';

const manager = 'kube-controller-manager';

/**
 * Garbage collection (contract cluster 3.7): deletes objects without owners, by uid. It checks only objects that a
 * write affects: dependents of deleted objects, owners that wait for dependents, and objects whose owner does not
 * exist.
 */
export function startCollecting(core: Core, tasks: BackgroundTasks): void {
  const visit = (uid: string | undefined) => {
    if (uid !== undefined) tasks.add(`collect ${uid}`, () => attend(core, uid, visit));
  };
  core.state.onCommit((change) => noticed(core, change, visit));
  for (const collection of core.state.collections()) {
    for (const { item } of collection.list()) if (isInteresting(core, item)) visit(item.metadata.uid);
  }
}

type Visit = (uid: string | undefined) => void;

function noticed(core: Core, { next, previous }: Committed, visit: Visit): void {
  if (next) {
    if (isInteresting(core, next.item)) visit(next.item.metadata.uid);
    visitOwners(core, next.item, previous?.item, visit);
    return;
  }
  const { uid = '', ownerReferences = [] } = previous?.item.metadata ?? {};
  for (const { stored } of core.state.dependents(uid)) visit(stored.item.metadata.uid);
  for (const owner of ownerReferences) if (isWaiting(core, owner.uid)) visit(owner.uid);
}

/** An owner in foreground deletion may have waited for this object to stop blocking it. */
function visitOwners(core: Core, item: Item, before: Item | undefined, visit: Visit): void {
  const { ownerReferences = [] } = item.metadata;
  if (!before || ownerReferences === before.metadata.ownerReferences) return;
  for (const owner of ownerReferences) if (isWaiting(core, owner.uid)) visit(owner.uid);
}

function isInteresting(core: Core, { metadata }: Item): boolean {
  if (metadata.deletionTimestamp !== undefined) {
    return hasFinalizer(metadata, orphanFinalizer) || hasFinalizer(metadata, foregroundFinalizer);
  }
  return (metadata.ownerReferences ?? []).some(({ uid }) => {
    const owner = core.state.byUid(uid);
    return !owner || isWaiting(core, uid) || ownerNamespaceDiffers(metadata, owner.stored.item);
  });
}

const ownerNamespaceDiffers = (metadata: Item['metadata'], owner: Item): boolean =>
  namespaceOf(owner) !== '' && namespaceOf(owner) !== (metadata.namespace ?? '');

const hasFinalizer = ({ finalizers = [] }: Item['metadata'], name: string): boolean =>
  finalizers.includes(name);

function isWaiting(core: Core, uid: string): boolean {
  const owner = core.state.byUid(uid)?.stored.item.metadata;
  return owner?.deletionTimestamp !== undefined && hasFinalizer(owner, foregroundFinalizer);
}

function attend(core: Core, uid: string, visit: Visit): void {
  const found = core.state.byUid(uid);
  if (!found) return;
  const { metadata } = found.stored.item;
  if (metadata.deletionTimestamp === undefined) {
    judge(core, found.stored);
  } else if (hasFinalizer(metadata, orphanFinalizer)) {
    orphan(core, found);
  } else if (hasFinalizer(metadata, foregroundFinalizer)) {
    deleteDependents(core, found, visit);
  }
}

type Found = StoredAt & { readonly stored: Stored };

/** Removes this owner from its dependents; then the owner's finalizer is removed. */
function orphan(core: Core, owner: Found): void {
  const uid = owner.stored.item.metadata.uid ?? '';
  for (const { stored } of core.state.dependents(uid))
    dropOwners(core, stored.item, (ref) => ref.uid === uid);
  dropFinalizer(core, owner.stored.item, orphanFinalizer);
}

/** Deletes blocking dependents first; the owner is deleted when none of them is left. */
function deleteDependents(core: Core, owner: Found, visit: Visit): void {
  const uid = owner.stored.item.metadata.uid ?? '';
  const dependents = core.state.dependents(uid);
  const blocking = dependents.filter(({ stored }) =>
    stored.item.metadata.ownerReferences?.some((ref) => ref.uid === uid && ref.blockOwnerDeletion === true),
  );
  for (const { stored } of dependents)
    if (stored.item.metadata.deletionTimestamp === undefined) visit(stored.item.metadata.uid);
  if (blocking.length === 0) dropFinalizer(core, owner.stored.item, foregroundFinalizer);
}

/** Keeps, updates or deletes an object according to the state of its owners. */
function judge(core: Core, { item }: Stored): void {
  const owners = (item.metadata.ownerReferences ?? []).map((ref) => ({
    ref,
    state: ownerState(core, item, ref),
  }));
  if (owners.length === 0) return;
  const lost = owners.filter(({ state }) => state !== 'there');
  if (lost.length === 0) return;
  if (lost.length < owners.length) {
    const gone = new Set(lost.map(({ ref }) => ref.uid));
    dropOwners(core, item, (ref) => gone.has(ref.uid));
    return;
  }
  const isBlocking = owners.some(({ state, ref }) => state === 'waiting' && ref.blockOwnerDeletion);
  const dependents = core.state.dependents(item.metadata.uid ?? '');
  // compat cluster 3.7: of objects that wait for one another in a cycle, the one that closes it stops blocking its
  // owners
  if (isBlocking && dependents.some(({ stored }) => isWaiting(core, stored.item.metadata.uid ?? ''))) {
    unblock(core, item);
  }
  discard(core, item, isBlocking && dependents.length > 0 ? 'Foreground' : 'Background');
}

type OwnerState = 'there' | 'waiting' | 'gone';

function ownerState(core: Core, dependent: Item, ref: OwnerReference): OwnerState {
  const owner = core.state.byUid(ref.uid)?.stored.item;
  if (!owner) return isServed(core, ref) ? 'gone' : 'there'; // an owner whose kind is not served may exist
  const within = namespaceOf(owner);
  // compat cluster 3.7: a cluster-scoped object cannot have a namespaced owner; it is never collected for it
  if (within !== '' && within !== namespaceOf(dependent))
    return namespaceOf(dependent) === '' ? 'there' : 'gone';
  if (nameOf(owner) !== ref.name || owner.kind !== ref.kind) return 'gone';
  return isWaiting(core, ref.uid) ? 'waiting' : 'there';
}

function isServed(core: Core, { apiVersion, kind }: OwnerReference): boolean {
  if (core.kinds.findKind(apiVersion, kind)) return true;
  const group = groupOf({ apiVersion });
  return core.kinds.all().some((resource) => resource.group === group && resource.kind === kind);
}

function discard(core: Core, item: Item, propagationPolicy: DeleteRequest['propagationPolicy']): void {
  const writing = internalWrite(core, resourceFor(core, item), manager, item.metadata);
  remove(writing, nameOf(item), { ...plainDelete, propagationPolicy });
}

function unblock(core: Core, item: Item): void {
  const ownerReferences = (item.metadata.ownerReferences ?? []).map((ref) => ({
    ...ref,
    blockOwnerDeletion: false,
  }));
  change(core, item, { ownerReferences });
}

function dropOwners(core: Core, item: Item, isLost: (ref: OwnerReference) => boolean): void {
  const kept = (item.metadata.ownerReferences ?? []).filter((ref) => !isLost(ref));
  change(core, item, { ownerReferences: kept.length > 0 ? kept : null });
}

function dropFinalizer(core: Core, item: Item, name: string): void {
  const kept = (item.metadata.finalizers ?? []).filter((finalizer) => finalizer !== name);
  change(core, item, { finalizers: kept.length > 0 ? kept : null });
}

function change(core: Core, item: Item, metadata: Readonly<Record<string, unknown>>): void {
  const writing = internalWrite(core, resourceFor(core, item), manager, item.metadata);
  patch(writing, nameOf(item), { type: 'merge', body: { metadata } });
}
