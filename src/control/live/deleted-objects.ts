import { type KubeObject, keyOf, type ResourceKey } from '#base/model';
import type { ObjectChange } from './object-store.ts';

/** The objects that were deleted last, for readers who begin to watch one a moment too late. */
export class DeletedObjects {
  readonly #most: number;
  readonly #objects = new Map<ResourceKey, KubeObject>();

  constructor(most: number) {
    this.#most = most;
  }

  note({ before, after }: ObjectChange): void {
    const object = after ?? before;
    if (!object) return;
    const key = keyOf(object);
    this.#objects.delete(key);
    if (!after) this.#objects.set(key, slim(object));
    const [oldest] = this.#objects.keys();
    if (oldest !== undefined && this.#objects.size > this.#most) this.#objects.delete(oldest);
  }

  list(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }
}

/** What decides about who may read it; a status may be large. */
function slim({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject {
  const { annotations: _annotations, managedFields: _managedFields, ...rest } = metadata;
  return { apiVersion, kind, metadata: rest, spec };
}
