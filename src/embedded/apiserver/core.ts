import { type KubeObject, printTime } from '#base/model';
import type { Clock, Logger } from '#base/std';
import type { Access } from './access/access.ts';
import type { Faults } from './faults/faults.ts';
import type { Ids } from './ids.ts';
import { type Item, itemKey } from './item.ts';
import type { ServedKinds, ServedResource } from './kinds.ts';
import type { ObjectTable } from './object-table.ts';
import type { Policies } from './policy/policies.ts';
import type { State } from './state.ts';
import type { Stored } from './stored.ts';
import type { Hooks } from './webhook/hooks.ts';

/** An object about to be stored, beside the one it replaces. */
type AdmissionRequest = {
  readonly object: KubeObject;
  readonly live?: KubeObject | undefined;
  /** The user that writes. */
  readonly user: string;
  /** `mutate` runs before the cluster's own validation, `validate` after it. */
  readonly phase: 'mutate' | 'validate';
  /** Adds a warning to the response. */
  warn(message: string): void;
  /** The data of a ConfigMap; undefined when it does not exist. */
  settings(namespace: string, name: string): Readonly<Record<string, string>> | undefined;
};

/** Returns the object to be stored, or throws StatusError. Must have no side effects. */
export type AdmissionHook = (request: AdmissionRequest) => KubeObject;

/** The dependencies of serving a request: the state, the served kinds, and the clock. */
export type Core = {
  readonly state: State;
  readonly kinds: ServedKinds;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ids: Ids;
  /** Authentication and authorization. */
  readonly access: Access;
  /** The faults to inject. */
  readonly faults: Faults;
  /** Replaces the admission webhooks of a real cluster. */
  readonly webhooks: AdmissionHook;
  /** The admission webhooks of the stored configurations. */
  readonly hooks: Hooks;
  /** Validating admission policies. */
  readonly policies: Policies;
  /** Aborts when the cluster closes. */
  readonly closing: AbortSignal;
};

let second = Number.NaN;
let printed = '';

/**
 * Now, as Kubernetes writes times: UTC, whole seconds. Cached, because most writes need it several times a second.
 */
export function timestamp({ clock }: Pick<Core, 'clock'>): string {
  const now = clock.now();
  const current = Math.floor(now.getTime() / 1000);
  if (current !== second) {
    printed = printTime(now);
    second = current;
  }
  return printed;
}

export const tableOf = ({ state }: Core, resource: ServedResource): ObjectTable =>
  state.collection(resource.collection);

/** The stored object, or undefined. */
export const lookUp = (
  core: Core,
  resource: ServedResource,
  namespace: string,
  name: string,
): Stored | undefined => tableOf(core, resource).get(itemKey(namespace, name));

/** An object of a built-in table, cluster-scoped or namespaced. */
export const peek = (core: Core, collection: string, namespace: string, name: string): Item | undefined =>
  core.state.collection(collection).get(itemKey(namespace, name))?.item;
