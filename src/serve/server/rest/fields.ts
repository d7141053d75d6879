import { isObject } from '#base/std';

/** The fields below one field that a path names; `all`: the path ends here. */
type Branch = 'all' | ReadonlyMap<string, Branch>;

/**
 * compat server §2.6: which fields of a response a caller wants. `a,b.c` keeps these, `-a,b.c` removes these; lists are
 * transparent; a path hides those that begin with it.
 */
export class FieldSelection {
  readonly #branch: Branch | undefined;
  readonly #isExclusive: boolean;

  constructor(branch: Branch | undefined, isExclusive: boolean) {
    this.#branch = branch;
    this.#isExclusive = isExclusive;
  }

  /** The selection for the value of a field. */
  below(name: string): FieldSelection {
    const branch = this.#branch;
    const inner = branch === undefined || branch === 'all' ? branch : branch.get(name);
    return new FieldSelection(inner, this.#isExclusive);
  }

  /** A copy with the wanted fields only; parts that are wanted whole are shared with the original. */
  pick(value: unknown): unknown {
    return (this.#isExclusive ? without(value, this.#branch) : only(value, this.#branch)) ?? {};
  }
}

/** Undefined when the caller wants everything. */
export function selectionIn(query: URLSearchParams): FieldSelection | undefined {
  const text = query.getAll('fields').filter(Boolean).join(',');
  if (text === '') return undefined;
  const isExclusive = text.startsWith('-');
  const root = new Map<string, Branch>();
  for (const path of (isExclusive ? text.slice(1) : text).split(',')) add(root, path.trim().split('.'));
  return new FieldSelection(root, isExclusive);
}

function add(root: Map<string, Branch>, names: readonly string[]): void {
  let branch = root;
  for (const [i, name] of names.entries()) {
    const below = branch.get(name);
    if (below === 'all') return;
    if (i === names.length - 1) branch.set(name, 'all');
    else {
      const next = new Map(below);
      branch.set(name, next);
      branch = next;
    }
  }
}

function only(value: unknown, branch: Branch | undefined): unknown {
  if (branch === 'all') return value;
  if (Array.isArray(value)) return value.map((item) => only(item, branch));
  if (!isObject(value) || branch === undefined) return undefined;
  const fields = [...branch].flatMap(([name, below]) => {
    const inner = Object.hasOwn(value, name) ? only(value[name], below) : undefined;
    return inner === undefined ? [] : [[name, inner] as const];
  });
  return Object.fromEntries(fields);
}

function without(value: unknown, branch: Branch | undefined): unknown {
  if (branch === undefined) return value;
  if (branch === 'all') return undefined;
  if (Array.isArray(value)) return value.map((item) => without(item, branch));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, inner]) => {
    const left = without(inner, branch.get(name));
    return left === undefined ? [] : [[name, left] as const];
  });
  return Object.fromEntries(fields);
}
