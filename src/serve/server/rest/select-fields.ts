import { isObject } from '#base/std';

/**
 * compat server §2.6: `a,b.c` keeps those fields, `-a,b.c` removes them; lists are transparent. `always` are top-level
 * fields that a selection keeps. Without a selection the value stays as it is.
 */
export function selectFields<T>(value: T, fields: string | null, always: readonly string[] = []): T {
  if (!fields) return value;
  const isExclusion = fields.startsWith('-');
  const named = fields.replace(/^-/, '').split(',');
  const tree = treeOf([...named, ...(isExclusion ? [] : always)].map((path) => path.trim().split('.')));
  return (isExclusion ? without(value, tree) : only(value, tree)) as T;
}

/** The names of one level, each with the level below; an empty one is the whole field. */
type Level = Map<string, Level>;

function treeOf(paths: readonly (readonly string[])[]): Level {
  const root: Level = new Map();
  for (const path of paths.filter(([first]) => first)) {
    let level = root;
    for (const [at, name] of path.entries()) {
      const known = level.get(name);
      if (known?.size === 0) break; // an ancestor is chosen whole
      const next: Level = known ?? new Map();
      if (at === path.length - 1) next.clear();
      level.set(name, next);
      level = next;
    }
  }
  return root;
}

function only(value: unknown, level: Level): unknown {
  if (Array.isArray(value)) return value.map((item) => only(item, level));
  if (!isObject(value) || level.size === 0) return value;
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const below = level.get(name);
    return below ? [[name, only(inner, below)] as const] : [];
  });
  return Object.fromEntries(kept);
}

function without(value: unknown, level: Level): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, level));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const below = level.get(name);
    if (below?.size === 0) return [];
    return [[name, below ? without(inner, below) : inner] as const];
  });
  return Object.fromEntries(kept);
}
