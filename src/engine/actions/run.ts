import { asKubeObject, type KubeObject, keyOf } from '#base/model';
import { clone, FairleadError, isObject, type JsonObject } from '#base/std';
import { createMergePatch } from '#kubernetes/patch';
import type { ActionChange, ActionInput } from './action.ts';
import { type ActionScript, customActions } from './custom.ts';
import { builtInsFor } from './discover.ts';
import { restore } from './restore.ts';

export type ActionCall = ActionInput & {
  readonly name: string;
  /** The YAML of `resource.customizations.actions.<kind>`, where there is one. */
  readonly configured?: string;
};

/**
 * Either the changes themselves, or a script to run; readChanges() converts its return value into changes.
 */
export type StartedAction = { readonly changes: readonly ActionChange[] } | { readonly script: ActionScript };

/**
 * compat engine H-32: a configured definition first, else the built-in of that name, even where the built-ins
 * are not shown. A disabled action still runs (engine H-33). Throws NotFound for an unknown name.
 */
export function startAction(live: KubeObject, request: ActionCall): StartedAction {
  const { name, parameters, configured } = request;
  const script = configured ? customActions(configured).definitions.get(name) : undefined;
  if (script !== undefined) {
    return { script: { script, globals: { obj: live, actionParams: parameters }, openLibs: false } };
  }
  const builtIns = builtInsFor(live);
  const builtIn = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined;
  if (!builtIn) {
    const known = Object.keys(builtIns).sort().join(', ');
    throw new FairleadError(
      'NotFound',
      `${live.kind} ${live.metadata.name} has no action ${name}${known ? `; there are ${known}` : ''}`,
    );
  }
  const returned = builtIn.run(clone(live), request);
  return {
    changes: Array.isArray(returned) ? returned : [{ operation: 'patch', resource: returned as KubeObject }],
  };
}

/**
 * Converts the return value of an action script: the changed object (a patch), or a list of objects to create
 * and patch (engine H-34). Restores the empty objects that Lua returns as lists (engine H-36). Throws InvalidSpec for
 * anything else.
 */
export function readChanges(live: KubeObject, returned: unknown): readonly ActionChange[] {
  if (Array.isArray(returned)) return returned.map((item, index) => readChange(live, item, index));
  if (!isObject(returned)) {
    throw new FairleadError('InvalidSpec', 'the action script must return an object or a list of operations');
  }
  return [patchOf(live, returned, 'the returned object')];
}

function readChange(live: KubeObject, item: unknown, index: number): ActionChange {
  const { operation, resource } = isObject(item) ? item : {};
  const place = `operation ${index + 1} of the action script`;
  if (operation === 'create') return { operation, resource: asKubeObject(resource, place) };
  if (operation === 'patch') return patchOf(live, resource, place);
  throw new FairleadError(
    'InvalidSpec',
    `${place}: use create or patch, not ${operation === undefined ? 'nothing' : String(operation)}`,
  );
}

function patchOf(live: KubeObject, resource: unknown, place: string): ActionChange {
  const restored = restore(resource, live) as KubeObject;
  // checked, not tidied: tidying would be a difference to the live object
  asKubeObject(restored, place);
  // dev engine H-34: a patch is the difference to the object the action was run on, so it is refused for any other
  if (keyOf(restored) !== keyOf(live)) {
    throw new FairleadError(
      'InvalidSpec',
      `${place} patches ${keyOf(restored)}, but the action was run on ${keyOf(live)}`,
    );
  }
  return { operation: 'patch', resource: restored };
}

/**
 * One thing for the server to do. `object` is what the project must permit. `patch-status` is sent to the status
 * subresource; when that works `rest` follows, and when the kind has none (NotFound) `whole` is sent instead.
 */
export type ActionStep =
  | { readonly do: 'dry-run-create' | 'create'; readonly object: KubeObject }
  | { readonly do: 'patch'; readonly object: KubeObject; readonly patch: JsonObject }
  | {
      readonly do: 'patch-status';
      readonly object: KubeObject;
      readonly patch: JsonObject;
      readonly rest?: JsonObject;
      readonly whole: JsonObject;
    };

/** compat engine H-35: every create is tried without effect first; then all operations in order. Empty patches are left out. */
export function planAction(live: KubeObject, changes: readonly ActionChange[]): readonly ActionStep[] {
  const creates = changes.filter(({ operation }) => operation === 'create');
  return [
    ...creates.map(({ resource }): ActionStep => ({ do: 'dry-run-create', object: resource })),
    ...changes.flatMap((change) => stepsOf(live, change)),
  ];
}

function stepsOf(live: KubeObject, { operation, resource }: ActionChange): ActionStep[] {
  if (operation === 'create') return [{ do: 'create', object: resource }];
  const whole = createMergePatch(live, resource) as JsonObject;
  if (Object.keys(whole).length === 0) return [];
  const { status, ...rest } = whole;
  if (status === undefined) return [{ do: 'patch', object: resource, patch: whole }];
  const step = { do: 'patch-status', object: resource, patch: { status }, whole } as const;
  return [Object.keys(rest).length > 0 ? { ...step, rest } : step];
}
