/** Places in a JSON value, written as JSON Pointers in which `*` is any one field or item. */
export type Place = { readonly path: string; readonly value: unknown };

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

export const join = (path: string, key: string | number): string => `${path}/${escaped(String(key))}`;

/** Everything that a pattern points at, with its exact place. */
export function find(value: unknown, pattern: string): Place[] {
  const keys = pattern.split('/').slice(1);
  let places: Place[] = [{ path: '', value }];
  for (const key of keys) places = places.flatMap((place) => stepInto(place, key));
  return places;
}

function stepInto({ path, value }: Place, key: string): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = Object.entries(value);
  const chosen = key === '*' ? fields : fields.filter(([name]) => name === unescaped(key));
  return chosen.map(([name, inner]) => ({ path: join(path, name), value: inner }));
}

/** A copy without what the patterns point at. */
export function prune(value: unknown, patterns: readonly string[], path = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) => !patterns.some((one) => matches(join(path, key), one)),
  );
  const inner = kept.map(([key, item]) => [key, prune(item, patterns, join(path, key))] as const);
  return Array.isArray(value) ? inner.map(([, item]) => item) : Object.fromEntries(inner);
}

/** Whether a place is exactly where the pattern points. */
function matches(path: string, pattern: string): boolean {
  const [keys, wanted] = [path.split('/'), pattern.split('/')];
  return keys.length === wanted.length && wanted.every((key, at) => key === '*' || key === keys[at]);
}

/** Whether a place is where the pattern points, or below. */
export function isWithin(path: string, pattern: string): boolean {
  const depth = pattern.split('/').length;
  return matches(path.split('/').slice(0, depth).join('/'), pattern);
}
