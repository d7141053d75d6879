import type { Stored } from './stored.ts';
import { WatchLog } from './watch-log.ts';

/** All objects of one resource (one group and plural, whatever the version), in key order, with their history. */
export class Shelf {
  /** `apps/deployments`, `/pods` for the core group. */
  readonly id: string;
  readonly log: WatchLog;
  readonly #items = new Map<string, Stored>();
  readonly #sorted: Stored[] = [];

  constructor(id: string, options: { readonly history: number; readonly startsAt: number }) {
    this.id = id;
    this.log = new WatchLog(options.history, options.startsAt);
  }

  get size(): number {
    return this.#items.size;
  }

  get(key: string): Stored | undefined {
    return this.#items.get(key);
  }

  /** For State alone: everybody else writes through it. */
  set(stored: Stored): void {
    const last = this.#sorted.at(-1);
    const at = !last || last.key < stored.key ? this.#sorted.length : firstAtLeast(this.#sorted, stored.key);
    this.#sorted.splice(at, this.#items.has(stored.key) ? 1 : 0, stored);
    this.#items.set(stored.key, stored);
  }

  /** For State alone: what an empty shelf begins with, in order. */
  fill(items: readonly Stored[]): void {
    for (const stored of items) {
      this.#items.set(stored.key, stored);
      this.#sorted.push(stored);
    }
  }

  /** For State alone. */
  delete(key: string): void {
    if (this.#items.delete(key)) this.#sorted.splice(firstAtLeast(this.#sorted, key), 1);
  }

  /** In byte order of `namespace/name`, as of now; only one namespace's when one is given. */
  list(namespace?: string): readonly Stored[] {
    return namespace ? this.#sorted.slice(...this.#span(namespace)) : this.#sorted.slice();
  }

  /** The items after `key` in list order, for the next page of a list. */
  listAfter(key: string, namespace?: string): readonly Stored[] {
    const [from, to] = namespace ? this.#span(namespace) : [0, this.#sorted.length];
    const at = firstAtLeast(this.#sorted, key);
    return this.#sorted.slice(Math.max(from, this.#sorted[at]?.key === key ? at + 1 : at), to);
  }

  /** The list as it was right after write number `rv`; undefined when that is no longer known. */
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

  #span(namespace: string): [from: number, to: number] {
    // '0' is the character after '/'
    return [firstAtLeast(this.#sorted, `${namespace}/`), firstAtLeast(this.#sorted, `${namespace}0`)];
  }
}

const inNamespace = ({ key }: Stored, namespace: string | undefined): boolean =>
  !namespace || key.startsWith(`${namespace}/`);

function firstAtLeast(items: readonly Stored[], key: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.key ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
