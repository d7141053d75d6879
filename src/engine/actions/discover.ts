import { groupOf, type KubeObject } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import type { ActionParameter, BuiltIns, OfferedAction } from './action.ts';
import { argoActions } from './argo.ts';
import { type ActionScript, customActions } from './custom.ts';
import { numaprojActions } from './numaproj.ts';
import { operatorActions } from './operators.ts';
import { workloadActions } from './workloads.ts';

const byKind: ReadonlyMap<string, BuiltIns> = new Map(
  [argoActions, numaprojActions, operatorActions, workloadActions].flatMap((actions) =>
    Object.entries(actions),
  ),
);

/** The actions we ship for this kind, by name; empty for most kinds. */
export const builtInsFor = (object: KubeObject): BuiltIns =>
  byKind.get(`${groupOf(object)}/${object.kind}`) ?? {};

/**
 * The built-in actions, and the configured discovery script that lists the others; the caller runs the
 * script.
 */
export type ActionDiscovery = { readonly builtIn: readonly OfferedAction[]; readonly script?: ActionScript };

/**
 * compat engine H-32: a configured block replaces the shipped actions unless it sets mergeBuiltinActions.
 * `configured` is the YAML of `resource.customizations.actions.<kind>`. Throws InvalidSpec when that YAML
 * cannot be read.
 */
export function discoverActions(object: KubeObject, configured?: string): ActionDiscovery {
  const custom = configured ? customActions(configured) : undefined;
  if (!custom) return { builtIn: offered(object) };
  const script = { script: custom.discovery, globals: { obj: object }, openLibs: false } as const;
  return { builtIn: custom.mergeBuiltIns ? offered(object) : [], script };
}

/** The actions of an object, sorted by name; `returned` is what the discovery script gave, if there was one. */
export function actionsFor(
  { builtIn, script }: ActionDiscovery,
  returned?: unknown,
): readonly OfferedAction[] {
  const found = new Map(builtIn.map((action) => [action.name, action]));
  // compat engine H-32: on a clash the configured action wins
  if (script) for (const action of readActions(returned)) found.set(action.name, action);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function offered(object: KubeObject): OfferedAction[] {
  return Object.entries(builtInsFor(object)).flatMap(([name, { offer }]) => {
    const appearance = offer(object);
    return appearance ? [{ disabled: false, ...appearance, name }] : [];
  });
}

/** compat engine H-33: an empty table is an action with defaults; Lua gives empty tables as lists. */
function readActions(returned: unknown): OfferedAction[] {
  if (Array.isArray(returned) && returned.length === 0) return [];
  if (!isObject(returned)) {
    throw new FairleadError('InvalidSpec', 'the discovery script must return a table of actions by name');
  }
  return Object.entries(returned).map(([name, returned]) => readAction(name, returned));
}

function readAction(name: string, returned: unknown): OfferedAction {
  const { disabled, displayName, iconClass, params } = isObject(returned) ? returned : {};
  return {
    name,
    disabled: disabled === true,
    ...(typeof displayName === 'string' ? { displayName } : {}),
    ...(typeof iconClass === 'string' ? { iconClass } : {}),
    ...(Array.isArray(params) && params.length > 0 ? { params: params.flatMap(readParameter) } : {}),
  };
}

function readParameter(returned: unknown): ActionParameter[] {
  if (!isObject(returned) || typeof returned.name !== 'string') return [];
  const { name, default: preset } = returned;
  return [preset === undefined || preset === null ? { name } : { name, default: String(preset) }];
}
