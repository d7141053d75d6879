import { groupOf, type KubeObject, type ResourceOverride } from '#base/model';
import { glob } from '../glob.ts';

/** A user's own health check, and whether it may use `string`, `math` and `coroutine` (engine H-25). */
export type HealthScript = { readonly script: string; readonly openLibs: boolean };

type Overrides = Readonly<Record<string, ResourceOverride>>;
type Choice = (object: KubeObject) => HealthScript | undefined;

const made = new WeakMap<Overrides, Choice>();

/** compat engine H-2: the script configured for an object's kind by name, else by a pattern; undefined: none is. */
export function healthScriptFor(object: KubeObject, overrides: Overrides): HealthScript | undefined {
  const choose = made.get(overrides) ?? choiceAmong(overrides);
  made.set(overrides, choose);
  return choose(object);
}

/** Each kind is looked up once. */
function choiceAmong(overrides: Overrides): Choice {
  const scripts = new Map<string, HealthScript>();
  for (const [key, { healthLua, useOpenLibs }] of Object.entries(overrides)) {
    if (healthLua) scripts.set(key, { script: healthLua, openLibs: useOpenLibs ?? false });
  }
  if (scripts.size === 0) return () => undefined;
  const patterns = [...scripts.keys()].filter((key) => special.test(key)).sort(byReach);
  const chosen = new Map<string, HealthScript | undefined>();
  return (object) => {
    const group = groupOf(object);
    // compat engine H-21: a core kind has no slash in its name, so no pattern with a slash is for it
    const kind = group ? `${group}/${object.kind}` : object.kind;
    if (chosen.has(kind)) return chosen.get(kind);
    const pattern = scripts.has(kind) ? kind : patterns.find((key) => glob(key, kind));
    const script = pattern === undefined ? undefined : scripts.get(pattern);
    chosen.set(kind, script);
    return script;
  };
}

const special = /[*?[{\\]/;

/** dev engine H-22: the longest literal prefix first, then by the alphabet; the peer takes any. */
function byReach(a: string, b: string): number {
  return prefixOf(b) - prefixOf(a) || (a < b ? -1 : 1);
}

const prefixOf = (pattern: string): number => pattern.search(special);
