/**
 * Lua has one kind of number, a double. An integer beyond 2^53 goes in as the nearest double; a double that
 * comes out and equals one that went in becomes that integer again. So a number that a script only passes on
 * stays exact; a computed one is as exact as its language. Should two integers share a double, the first one
 * is restored.
 */
export type Integers = ReadonlyMap<number, number | bigint>;

/** The integers in a value that are beyond 2^53, in the form they have there. */
export function integersIn(value: unknown, found = new Map<number, number | bigint>()): Integers {
  if (typeof value === 'bigint' || (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)) {
    if (!found.has(Number(value))) found.set(Number(value), value);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) integersIn(item, found);
  }
  return found;
}

/** The value with those integers exact again. It must be the caller's own: lists and objects are changed in place. */
export function restoreIntegers(value: unknown, integers: Integers): unknown {
  if (integers.size === 0) return value;
  if (typeof value === 'number' || typeof value === 'bigint') return integers.get(Number(value)) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, item] of Object.entries(value)) Reflect.set(value, key, restoreIntegers(item, integers));
  return value;
}
