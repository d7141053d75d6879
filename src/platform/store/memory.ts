import { FairleadError } from '#base/std';
import { type Codec, checkedKey, type KeyRange, type Store, type StoreChange, type Table } from './table.ts';

/** A store that ends with the process. */
export type MemoryStore = Store & {
  /** An independent store that starts out equal to this one. */
  fork(): MemoryStore;
};

type Entries = { readonly values: Map<string, unknown>; sorted: string[] | undefined };

/** The same interface in memory only, for tests and dry runs. */
export function memoryStore(): MemoryStore {
  return storeOver(new Map());
}

function storeOver(tables: Map<string, Entries>): MemoryStore {
  let closed = false;
  const entriesOf = (name: string): Entries => {
    if (closed) throw new FairleadError('Internal', 'the store is closed');
    let entries = tables.get(name);
    if (!entries) {
      entries = { values: new Map(), sorted: [] };
      tables.set(name, entries);
    }
    return entries;
  };
  return {
    table: <Value>(name: string, _codec: Codec<Value>) => tableOver<Value>(name, () => entriesOf(name)),
    async write(changes) {
      for (const change of changes) apply(entriesOf(change.table), change);
    },
    async close() {
      closed = true;
    },
    fork() {
      const copies = [...tables].map(([name, { values, sorted }]) => {
        return [name, { values: new Map(values), sorted: sorted && [...sorted] }] as const;
      });
      return storeOver(new Map(copies));
    },
  };
}

function tableOver<Value>(table: string, entries: () => Entries): Table<Value> {
  return {
    get: (key) => entries().values.get(key) as Value | undefined,
    range: (range = {}) => scan<Value>(entries(), range),
    put: (key, value) => ({ table, key: checkedKey(key), value }),
    remove: (key) => ({ table, key: checkedKey(key), value: undefined }),
  };
}

function apply(entries: Entries, { key, value }: StoreChange): void {
  if (value === undefined) {
    if (entries.values.delete(key)) entries.sorted = undefined;
    return;
  }
  if (!entries.values.has(key)) entries.sorted = undefined;
  entries.values.set(key, value);
}

function* scan<Value>(entries: Entries, range: KeyRange): Generator<readonly [string, Value]> {
  entries.sorted ??= [...entries.values.keys()].sort(byCodePoint);
  const keys = entries.sorted;
  const { from = '', before, prefix = '', limit = Number.POSITIVE_INFINITY } = range;
  let at = firstAtLeast(keys, byCodePoint(from, prefix) < 0 ? prefix : from);
  for (let given = 0; given < limit; at++) {
    const key = keys[at];
    if (key === undefined || !key.startsWith(prefix)) return;
    if (before !== undefined && byCodePoint(key, before) >= 0) return;
    if (!entries.values.has(key)) continue; // removed since this iteration began
    yield [key, entries.values.get(key) as Value];
    given += 1;
  }
}

function firstAtLeast(keys: readonly string[], wanted: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byCodePoint(keys[middle] ?? '', wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The order of UTF-8 bytes, which is LMDB's, and differs from JavaScript's only beyond the basic plane. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (isSurrogate(x) === isSurrogate(y)) return x - y;
    return isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
