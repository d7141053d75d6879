import { FairleadError, isObject } from '#base/std';
import type { AnalysisArgument, Rollout } from '../rollout.ts';

export type Hashes = { readonly latest: string; readonly stable: string };

/**
 * compat rollouts RA-2: an argument with its reference to the Rollout replaced by a value. Throws InvalidSpec for a path that the Rollout
 * does not have; with `isTrial` a field of its spec or status may still be missing, as before the first version.
 */
export function resolveArgument(
  arg: AnalysisArgument,
  rollout: Rollout,
  hashes: Hashes,
  isTrial = false,
): AnalysisArgument {
  const { podTemplateHashValue, fieldRef } = arg.valueFrom ?? {};
  if (podTemplateHashValue !== undefined)
    return { name: arg.name, value: podTemplateHashValue === 'Stable' ? hashes.stable : hashes.latest };
  const path = fieldRef?.fieldPath;
  if (path === undefined) return arg;
  const value = fieldAt(rollout, path) ?? defaultAt(path, isTrial);
  if (value === undefined) throw refuse(arg.name, path);
  return { name: arg.name, value };
}

/** A label or an annotation that is not set is empty, as in the downward API: the revision is one, before the first version. */
function defaultAt(path: string, isTrial: boolean): string | undefined {
  if (/^metadata\.(?:labels|annotations)\[/.test(path)) return '';
  return isTrial && !path.startsWith('metadata') ? '' : undefined;
}

const refuse = (arg: string, path: string): FairleadError =>
  new FairleadError('InvalidSpec', `args.${arg}: ${path} is no field with a single value of the Rollout`);

/** The value at a path such as `metadata.labels['app']`, `spec.replicas` or `status.canary.weights.canary.weight`. */
function fieldAt(object: object, path: string): string | undefined {
  let value: unknown = object;
  for (const part of partsOf(path)) {
    if (Array.isArray(value)) value = value[Number(part)];
    else if (isObject(value) && Object.hasOwn(value, part)) value = value[part];
    else return undefined;
  }
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

/** `a.b[0]['c.d']` taken apart. */
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const [, name, quoted, index] of path.matchAll(/([^.[\]]+)|\['([^']*)'\]|\[(\d+)\]/g))
    parts.push(name ?? quoted ?? index ?? '');
  return parts;
}

const tag = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * compat rollouts RA-3: the value with every `{{args.x}}` replaced, in any text of it. Throws InvalidSpec for a tag that
 * names nothing.
 */
export function substitute<T>(value: T, args: ReadonlyMap<string, string>): T {
  if (typeof value === 'string') return substituteText(value, args) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => substitute(item, args)) as T;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, args)])) as T;
}

const substituteText = (text: string, args: ReadonlyMap<string, string>): string =>
  replaceTags(text, (name) => (name.startsWith('args.') ? args.get(name.slice('args.'.length)) : undefined));

/** The text with every `{{name}}` replaced by what is found for it. Throws InvalidSpec for a name without a value. */
export function replaceTags(text: string, find: (name: string) => string | undefined): string {
  return text.replace(tag, (_whole, name: string) => {
    const found = find(name);
    if (found === undefined) throw new FairleadError('InvalidSpec', `failed to resolve {{${name}}}`);
    return found;
  });
}
