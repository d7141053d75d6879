/**
 * Deep equality of JSON-like values. A bigint equals the number of the same value, because a parser may
 * produce either; a key whose value is undefined equals a missing key, as in JSON.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameScalar(a, b);
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b);
  return !Array.isArray(b) && sameFields(a as Fields, b as Fields);
}

type Fields = Record<string, unknown>;

function sameScalar(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Number.isNaN(a) && Number.isNaN(b);
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && BigInt(b) === a;
  if (typeof a === 'number' && typeof b === 'bigint') return Number.isInteger(a) && BigInt(a) === b;
  return false;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equal(a[i], b[i])) return false;
  return true;
}

function sameFields(a: Fields, b: Fields): boolean {
  let fields = 0;
  for (const key in a) {
    const value = a[key];
    if (value === undefined) continue;
    fields += 1;
    if (!Object.hasOwn(b, key) || !equal(value, b[key])) return false;
  }
  for (const key in b) if (b[key] !== undefined) fields -= 1;
  return fields === 0;
}
