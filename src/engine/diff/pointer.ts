import { isObject, type JsonObject } from '#schema';

/** The steps of an RFC 6901 pointer; undefined when the text is not one. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function printPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** What stands at the path; undefined when nothing does. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const step of path) {
    if (Array.isArray(at)) at = at[indexOf(at, String(step))];
    else if (isObject(at) && Object.hasOwn(at, step)) at = at[step];
    else return undefined;
  }
  return at;
}

/** compat D-11: the value without what stands at the path, sharing the rest; a path to nowhere changes nothing. */
export function without<T>(value: T, path: readonly string[]): T {
  return drop(value, path, 0) as T;
}

function drop(value: unknown, path: readonly string[], depth: number): unknown {
  const step = path[depth];
  if (step === undefined) return value;
  if (Array.isArray(value)) return dropItem(value, path, depth);
  if (!isObject(value) || !Object.hasOwn(value, step)) return value;
  if (depth === path.length - 1) {
    const { [step]: _gone, ...rest } = value;
    return rest;
  }
  const next = drop(value[step], path, depth + 1);
  return next === value[step] ? value : { ...value, [step]: next };
}

function dropItem(list: readonly unknown[], path: readonly string[], depth: number): unknown {
  const at = indexOf(list, path[depth] ?? '');
  if (at < 0) return list;
  if (depth === path.length - 1) return list.toSpliced(at, 1);
  const next = drop(list[at], path, depth + 1);
  return next === list[at] ? list : list.with(at, next);
}

/** The value with something else at the path. Missing objects on the way are made, missing list items are not. */
export function withValue<T>(value: T, path: readonly string[], next: unknown): T {
  return put(value, path, 0, next) as T;
}

function put(value: unknown, path: readonly string[], depth: number, next: unknown): unknown {
  const step = path[depth];
  if (step === undefined) return next;
  if (Array.isArray(value)) {
    const at = indexOf(value, step);
    return at < 0 ? value : value.with(at, put(value[at], path, depth + 1, next));
  }
  if (value !== undefined && value !== null && !isObject(value)) return value;
  const fields: JsonObject = isObject(value) ? value : {};
  const before = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: put(before, path, depth + 1, next) };
}

/** compat D-11: indices are literal places; -1 when there is no such item. */
function indexOf(list: readonly unknown[], step: string): number {
  const at = /^(0|[1-9]\d*)$/.test(step) ? Number(step) : -1;
  return at < list.length ? at : -1;
}
