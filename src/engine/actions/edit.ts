import { type KubeObject, printTime } from '#base/model';
import { isObject, type JsonObject } from '#base/std';
import type { ActionInput, BuiltIn, OfferedAction } from './action.ts';

/** The object at a dotted path, made on the way where it is missing. Only ever called on our own copy. */
export function at(object: KubeObject, path: string): JsonObject {
  let here = object as unknown as JsonObject;
  for (const step of path.split('.')) {
    const next = here[step];
    if (isObject(next)) here = next;
    else {
      const made: JsonObject = {};
      here[step] = made;
      here = made;
    }
  }
  return here;
}

/** The value at a dotted path; undefined where the path leaves the objects. */
export function read(object: KubeObject, path: string): unknown {
  let value: unknown = object;
  for (const step of path.split('.')) {
    if (!isObject(value)) return undefined;
    value = value[step];
  }
  return value;
}

type Offer = BuiltIn['offer'];
/** Changes the copy it is given. */
export type ObjectEdit = (object: KubeObject, input: ActionInput) => void;

/** An action that changes the object it is run on. */
export function edits(offer: Offer, edit: ObjectEdit): BuiltIn {
  return {
    offer,
    run: (object, input) => {
      edit(object, input);
      return object;
    },
  };
}

/** Always offered, with these display attributes. */
export const always =
  (appearance: Partial<OfferedAction> = {}): Offer =>
  () =>
    appearance;

/** Always offered; disabled when the predicate is true. */
export const unless =
  (isDisabled: (object: KubeObject) => boolean, appearance: Partial<OfferedAction> = {}): Offer =>
  (object) => ({ ...appearance, disabled: isDisabled(object) });

/** Offered only when the predicate is true. */
export const onlyIf =
  (isOffered: (object: KubeObject) => boolean, appearance: Partial<OfferedAction> = {}): Offer =>
  (object) =>
    isOffered(object) ? appearance : undefined;

/** Sets a field. */
export const set =
  (path: string, field: string, value: unknown): ObjectEdit =>
  (object) => {
    at(object, path)[field] = value;
  };

/** Writes the present moment into a field. */
export const stamp =
  (path: string, field: string): ObjectEdit =>
  (object, { now }) => {
    at(object, path)[field] = printTime(now);
  };

/** Sets a switch to false where it is on; a missing switch stays missing. */
export const switchOff =
  (path: string, field: string): ObjectEdit =>
  (object) => {
    if (read(object, `${path}.${field}`)) at(object, path)[field] = false;
  };

export const icon = {
  restart: 'fa fa-fw fa-redo',
  pause: 'fa fa-fw fa-pause-circle',
  resume: 'fa fa-fw fa-play-circle',
  scale: 'fa fa-fw fa-plus-circle',
  create: 'fa fa-fw fa-plus',
  suspend: 'fa fa-fw fa-pause',
  play: 'fa fa-fw fa-play',
  stop: 'fa fa-fw fa-stop',
} as const;
