import { isObject } from '#kubernetes/schema';
import type { BackgroundTasks } from './background-tasks.ts';
import { type Core, peek } from './core.ts';
import { type Item, nameOf, namespaceOf, specOf } from './item.ts';
import type { Committed } from './state.ts';
import { internalWrite, resourceFor } from './write/internal-write.ts';
import { patch } from './write/patch.ts';

const claims = '/persistentvolumeclaims';
const volumes = '/persistentvolumes';
const claimFinalizer = 'kubernetes.io/pvc-protection';
const volumeFinalizer = 'kubernetes.io/pv-protection';

/** Removes the protection finalizer of storage that is being deleted and no longer used (contract cluster 3.12). */
export function startProtection(core: Core, tasks: BackgroundTasks): void {
  const reconcile = (item: Item) =>
    tasks.add(`protection ${item.kind} ${namespaceOf(item)}/${nameOf(item)}`, () => release(core, item));
  core.state.onCommit((change) => {
    for (const item of touched(core, change)) if (isHeld(item)) reconcile(item);
  });
  for (const id of [claims, volumes]) {
    for (const { item } of core.state.collection(id).list()) if (isHeld(item)) reconcile(item);
  }
}

/** The storage that a change may have released: itself, or the claims of a finished pod. */
function touched(core: Core, { collection, next, previous }: Committed): Item[] {
  if (collection.id === claims || collection.id === volumes) return next ? [next.item] : [];
  const pod = next?.item ?? previous?.item;
  if (collection.id !== '/pods' || !pod || (next && !isOver(pod))) return [];
  return claimsOf(pod).flatMap((name) => peek(core, claims, namespaceOf(pod), name) ?? []);
}

function isHeld({ metadata }: Item): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return (
    deletionTimestamp !== undefined &&
    (finalizers.includes(claimFinalizer) || finalizers.includes(volumeFinalizer))
  );
}

function isOver({ status }: Item): boolean {
  return isObject(status) && (status.phase === 'Succeeded' || status.phase === 'Failed');
}

function claimsOf(pod: Item): string[] {
  const list = (specOf(pod).volumes ?? []) as { persistentVolumeClaim?: { claimName?: string } }[];
  return list.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

function release(core: Core, { kind, metadata }: Item): void {
  const { namespace = '', name = '' } = metadata;
  const collection = kind === 'PersistentVolume' ? volumes : claims;
  const item = peek(core, collection, namespace, name);
  if (!item || !isHeld(item) || isUsed(core, item)) return;
  const kept = (item.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== claimFinalizer && finalizer !== volumeFinalizer,
  );
  const writing = internalWrite(core, resourceFor(core, item), 'kube-controller-manager', item.metadata);
  patch(writing, name, { type: 'merge', body: { metadata: { finalizers: kept.length > 0 ? kept : null } } });
}

function isUsed(core: Core, item: Item): boolean {
  if (item.kind === 'PersistentVolume') {
    return isObject(item.status) && item.status.phase === 'Bound';
  }
  const pods = core.state.collection('/pods').list(namespaceOf(item));
  return pods.some(({ item: pod }) => !isOver(pod) && claimsOf(pod).includes(nameOf(item)));
}
