import type { Stored } from './stored.ts';
import type { WatchLog } from './watch-log.ts';

/** All objects of one resource (one group and plural, in all versions), in key order, with their history. */
export class ObjectTable {
  /** `apps/deployments`, `/pods` for the core group. */
  readonly id: string;
  readonly log: WatchLog;
  readonly #items = new Map<string, Stored>();
  readonly #keys: string[] = [];
  /** Keys that are not sorted in yet: no list was read since they were added. */
  readonly #fresh: string[] = [];

  constructor(id: string, log: WatchLog) {
    this.id = id;
    this.log = log;
  }

  get size(): number {
    return this.#items.size;
  }

  get(key: string): Stored | undefined {
    return this.#items.get(key);
  }

  /** For State alone: all other code writes through it. */
  set(stored: Stored): void {
    if (!this.#items.has(stored.key)) this.#fresh.push(stored.key);
    this.#items.set(stored.key, stored);
  }

  /** For State alone. */
  delete(key: string): void {
    if (!this.#items.delete(key)) return;
    const keys = this.#inOrder();
    keys.splice(firstAtLeast(keys, key), 1);
  }

  /** In byte order of `namespace/name`, as of now; only one namespace's when one is given. */
  list(namespace?: string): readonly Stored[] {
    return this.size === 0 ? [] : this.#between(...this.#span(namespace));
  }

  /** The items after `key` in list order, for the next page of a list. */
  listAfter(key: string, namespace?: string): readonly Stored[] {
    const [from, to] = this.#span(namespace);
    const at = firstAtLeast(this.#keys, key);
    return this.#between(Math.max(from, this.#keys[at] === key ? at + 1 : at), to);
  }

  /** The list as it was right after write number `rv`; undefined when that is no longer in the history. */
  asOf(rv: number, namespace?: string): readonly Stored[] | undefined {
    const later = this.log.after(rv);
    if (!later) return undefined;
    if (later.length === 0) return this.list(namespace);
    const past = new Map<string, Stored | undefined>();
    for (const { stored, previous } of later) if (!past.has(stored.key)) past.set(stored.key, previous);
    const kept = this.list(namespace).filter(({ key }) => !past.has(key));
    const back = [...past.values()].filter(
      (old) => old !== undefined && inNamespace(old, namespace),
    ) as Stored[];
    return [...kept, ...back].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  #span(namespace: string | undefined): [from: number, to: number] {
    const keys = this.#inOrder();
    // '0' is the character after '/'
    return namespace
      ? [firstAtLeast(keys, `${namespace}/`), firstAtLeast(keys, `${namespace}0`)]
      : [0, keys.length];
  }

  #between(from: number, to: number): Stored[] {
    const found: Stored[] = [];
    for (let at = from; at < to; at++) {
      const stored = this.#items.get(this.#keys[at] ?? '');
      if (stored) found.push(stored);
    }
    return found;
  }

  /** Sorting all keys at once costs less than inserting each new key among very many. */
  #inOrder(): string[] {
    const isFew = this.#fresh.length <= few;
    for (const key of this.#fresh) {
      if (isFew) this.#keys.splice(firstAtLeast(this.#keys, key), 0, key);
      else this.#keys.push(key);
    }
    if (!isFew) this.#keys.sort();
    this.#fresh.length = 0;
    return this.#keys;
  }
}

const few = 16;

const inNamespace = ({ key }: Stored, namespace: string | undefined): boolean =>
  !namespace || key.startsWith(`${namespace}/`);

function firstAtLeast(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
