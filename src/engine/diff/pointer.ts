import { isObject } from '#kubernetes/schema';

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

/**
 * compat engine D-11: the object without the value at the path, sharing the rest; a path that does not exist
 * changes nothing.
 */
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

/** compat engine D-11: indices are literal; -1 when there is no such item. */
function indexOf(list: readonly unknown[], step: string): number {
  const at = /^(0|[1-9]\d*)$/.test(step) ? Number(step) : -1;
  return at < list.length ? at : -1;
}
