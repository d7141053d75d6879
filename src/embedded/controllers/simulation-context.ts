import type { KubeObject } from '#base/model';
import type { Clock } from '#base/std';
import type { Objects, StoredEvent, StoredRef, TypeRef } from '#embedded/apiserver';
import type { EventSource } from './event-source.ts';
import type { SimulationSettings } from './options.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The dependencies of a controller. All other state it reads from objects. */
export type SimulationContext = {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly settings: SimulationSettings;
  readonly chance: SeededRandom;
  readonly events: EventSource;
};

/** Requests another pass at a time, in milliseconds since 1970, even if nothing changes until then. */
export type NextPass = { readonly at: number };

/** The object a pass is about. An empty namespace: cluster-scoped. */
export type Key = { readonly namespace: string; readonly name: string };

/** Enqueues keys of a controller when objects of another kind change. */
export type Wake = {
  readonly type: TypeRef;
  keys(context: SimulationContext, event: StoredEvent): readonly Key[];
};

/**
 * Reconciles the objects of one kind. `reconcile` reads the current state, takes the steps that are due, and may
 * run at any moment, any number of times, also right after a crash.
 */
export type Controller = {
  readonly type: TypeRef;
  readonly wakes?: readonly Wake[];
  reconcile(context: SimulationContext, object: KubeObject): Promise<NextPass | undefined>;
  /**
   * The object does not exist (any more): drops its cached state, and removes finalizers that only its pass would
   * remove.
   */
  gone?(context: SimulationContext, key: Key): Promise<void> | void;
};

export const nowOf = ({ clock }: Pick<SimulationContext, 'clock'>): number => clock.now().getTime();

export const keyOfObject = ({ metadata }: KubeObject): Key => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/** The reference of an object of a kind. */
export const at = ({ apiVersion, kind }: TypeRef, { namespace, name }: Key): StoredRef =>
  namespace === '' ? { apiVersion, kind, name } : { apiVersion, kind, namespace, name };

export const refOf = (object: KubeObject): StoredRef => at(object, keyOfObject(object));

/** The earlier of two requested passes. */
export function sooner(a: NextPass | undefined, b: NextPass | undefined): NextPass | undefined {
  if (!a || !b) return a ?? b;
  return a.at <= b.at ? a : b;
}
