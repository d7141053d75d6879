import { type KubeObject, parseKey, type ResourceKey } from '#base/model';
import { parentNames, type Tracking, trackedBy } from '#engine';
import type { ObjectChange } from './object-store.ts';

/** Finds cached objects by owner, by tracking application and by namespace; updated with every change. */
export class ClusterIndex {
  readonly #byOwner = new Map<string, Set<ResourceKey>>();
  readonly #byInstance = new Map<string, Set<ResourceKey>>();
  readonly #byKind = new Map<string, Set<ResourceKey>>();
  readonly #byNamespace = new Map<string, Set<ResourceKey>>();
  #tracking: Tracking;

  constructor(tracking: Tracking) {
    this.#tracking = tracking;
  }

  update(key: ResourceKey, { before, after }: ObjectChange): void {
    if (before) this.#each(key, before, leave);
    if (after) this.#each(key, after, join);
  }

  /** The tracking method changed: rebuilds the index. */
  retrack(tracking: Tracking, objects: Iterable<readonly [ResourceKey, KubeObject]>): void {
    this.#tracking = tracking;
    this.#byInstance.clear();
    for (const [key, object] of objects) join(this.#byInstance, trackedBy(object, tracking), key);
  }

  ownedBy(name: string): Iterable<ResourceKey> {
    return this.#byOwner.get(name) ?? [];
  }

  inNamespace(namespace: string): Iterable<ResourceKey> {
    return this.#byNamespace.get(namespace) ?? [];
  }

  trackedBy(instance: string): Iterable<ResourceKey> {
    return this.#byInstance.get(instance) ?? [];
  }

  instances(): Iterable<string> {
    return this.#byInstance.keys();
  }

  ofKind(group: string, kind: string): Iterable<ResourceKey> {
    return this.#byKind.get(`${group}/${kind}`) ?? [];
  }

  #each(key: ResourceKey, object: KubeObject, step: typeof join): void {
    for (const name of parentNames(object)) step(this.#byOwner, name, key);
    step(this.#byInstance, trackedBy(object, this.#tracking), key);
    const { group, kind, namespace } = parseKey(key);
    step(this.#byKind, `${group}/${kind}`, key);
    step(this.#byNamespace, namespace, key);
  }
}

function join(index: Map<string, Set<ResourceKey>>, name: string | undefined, key: ResourceKey): void {
  if (name === undefined) return;
  const keys = index.get(name);
  if (keys) keys.add(key);
  else index.set(name, new Set([key]));
}

function leave(index: Map<string, Set<ResourceKey>>, name: string | undefined, key: ResourceKey): void {
  if (name === undefined) return;
  const keys = index.get(name);
  keys?.delete(key);
  if (keys?.size === 0) index.delete(name);
}
