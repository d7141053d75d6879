import {
  type Application,
  type GroupKind,
  groupOf,
  instanceName,
  isKind,
  type KubeObject,
  keyFrom,
  keyOf,
  type ResourceKey,
} from '#base/model';
import { keepHookFinalizers } from './deletion/hook-finalizers.ts';
import { isDeleteHook, isHook, isIgnoredHook, isSkipped } from './sync/hooks.ts';
import type { ApplicationTarget } from './target.ts';
import { isSelfReferenced, type Tracking, trackedBy } from './tracking.ts';

export type Sides = { readonly target: ApplicationTarget; readonly live: readonly KubeObject[] };

/** One object seen from both sides; one of them may be missing. */
export type Pair = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };

export type PairOptions = {
  readonly controlPlaneNamespace: string;
  readonly tracking: Tracking;
  /** undefined: the cluster does not serve the kind (yet). */
  readonly isNamespaced: (kind: GroupKind) => boolean | undefined;
  /** Why the project refuses an object, or undefined when it does not. */
  readonly denies?: (object: KubeObject, namespaced: boolean) => string | undefined;
};

export type Paired = {
  readonly pairs: readonly Pair[];
  /** Targets that run as hooks of a sync, and those that run when the Application is deleted. */
  readonly hooks: readonly KubeObject[];
  readonly deleteHooks: readonly KubeObject[];
};

/** compat engine §2.5 steps 5 to 9: every target and every live object in exactly one pair, hooks set apart. Sorted by key. */
export function pairSides(app: Application, sides: Sides, options: PairOptions): Paired {
  const { deleteHooks, hooks, plain } = sorted(sides.target.objects);
  const live = sides.live.filter((object) => isPermitted(object, options));
  const pairs = pairUp(withManagedNamespace(app, plain, live, options), live, options);
  return { pairs, hooks, deleteHooks };
}

/** compat engine §2.5 step 6: what runs when the Application is deleted, what runs in a sync, and what is compared. */
function sorted(targets: readonly KubeObject[]) {
  const [deleteHooks, hooks, plain]: [KubeObject[], KubeObject[], KubeObject[]] = [[], [], []];
  for (const object of targets) {
    if (!isHook(object)) plain.push(object);
    else if (isDeleteHook(object)) deleteHooks.push(object);
    else if (!isIgnoredHook(object)) hooks.push(object);
  }
  return { deleteHooks, hooks, plain };
}

/** compat engine §2.5 step 5: what the project does not permit is invisible, so it is neither compared nor pruned. */
function isPermitted(object: KubeObject, { denies }: PairOptions): boolean {
  return !denies?.(object, (object.metadata.namespace ?? '') !== '');
}

/**
 * compat engine §2.5 step 9. A kind that the cluster does not serve is matched with and without a namespace.
 */
function pairUp(targets: readonly KubeObject[], lives: readonly KubeObject[], options: PairOptions): Pair[] {
  const left = new Map(lives.map((object) => [keyOf(object), object]));
  const pairs = targets.map((target, index): Pair => {
    const key = target.metadata.name ? keyOf(target) : unnamedKey(target, index);
    const found = findLive(target, left, options);
    if (!found) return { key, target };
    left.delete(keyOf(found));
    return { key: keyOf(found), target: keepHookFinalizers(target, found), live: found };
  });
  const claimed = new Set(pairs.flatMap(({ live }) => live?.metadata.uid ?? []));
  for (const [key, live] of left) {
    // one object served in two groups is one object, and the group Git uses wins
    if (!live.metadata.uid || !claimed.has(live.metadata.uid)) pairs.push({ key, live });
  }
  return pairs.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function findLive(
  target: KubeObject,
  lives: ReadonlyMap<ResourceKey, KubeObject>,
  { isNamespaced }: PairOptions,
): KubeObject | undefined {
  const found = lives.get(keyOf(target));
  const { name } = target.metadata;
  const kind = { group: groupOf(target), kind: target.kind };
  if (found || !name || isNamespaced(kind) !== undefined) return found;
  return lives.get(keyFrom({ ...kind, name }));
}

const unnamedKey = (target: KubeObject, index: number): ResourceKey =>
  keyFrom({
    group: groupOf(target),
    kind: target.kind,
    namespace: target.metadata.namespace ?? '',
    name: `${target.metadata.generateName ?? ''}${index}`,
  });

/** compat engine §2.5 step 7: a Namespace kept for its metadata is neither pruned nor out of sync. */
function withManagedNamespace(
  app: Application,
  targets: readonly KubeObject[],
  lives: readonly KubeObject[],
  options: PairOptions,
): readonly KubeObject[] {
  const name = app.spec.destination.namespace;
  const managed = app.spec.syncPolicy?.managedNamespaceMetadata;
  const is = (object: KubeObject): boolean =>
    isKind(object, '', 'Namespace') && object.metadata.name === name;
  if (!name || !managed || targets.some(is)) return targets;
  const live = lives.find(is);
  if (!live || trackedBy(live, options.tracking) !== instanceName(app, options.controlPlaneNamespace))
    return targets;
  return [...targets, live];
}

/** compat engine §2.5 step 11: hooks, skipped objects and bearers of a copied mark have no status and no effect. */
export function isManaged({ target, live }: Pair, tracking: Tracking): boolean {
  const object = target ?? live;
  if (!object || isHook(live ?? object) || isHook(object)) return false;
  return !isSkipped(object) && isSelfReferenced(live, target, tracking);
}
