import { type GzipPart, gzipPart } from './gzip-parts.ts';
import type { PrintedItems } from './printed-items.ts';

/** Items that follow one another in a list, compressed together. */
export type ItemRun = {
  readonly items: readonly object[];
  /** Of their texts, in characters. */
  readonly length: number;
};

type Facts = { readonly number: number; readonly length: number };

/** Long enough to compress well, short enough that a changed item leaves nearly everything as it was. */
const itemsInRun = 16;
const maxRunLength = 256 * 1024;

/**
 * The compressed runs of items that were listed lately. Where a run ends depends on its own items only: an item that appears or is
 * left out changes its own run, and no run after it. Holds at most twice its limit, and no item alive.
 */
export class ItemRuns {
  readonly #texts: PrintedItems<string>;
  readonly #print: (item: unknown) => string;
  readonly #maxBytes: number;
  readonly #facts = new WeakMap<object, Facts>();
  #numbers = 0;
  #recent = new Map<string, GzipPart>();
  #older = new Map<string, GzipPart>();
  #bytes = 0;

  /** `maxBytes` is half of what it may hold. */
  constructor(texts: PrintedItems<string>, print: (item: unknown) => string, maxBytes: number) {
    this.#texts = texts;
    this.#print = print;
    this.#maxBytes = maxBytes;
  }

  *runsOf(items: Iterable<object>): Generator<ItemRun> {
    let run: object[] = [];
    let length = 0;
    for (const item of items) {
      const facts = this.#factsOf(item);
      run.push(item);
      length += facts.length;
      if (facts.number % itemsInRun !== 0 && length < maxRunLength) continue;
      yield { items: run, length };
      [run, length] = [[], 0];
    }
    if (run.length > 0) yield { items: run, length };
  }

  #factsOf(item: object): Facts {
    const known = this.#facts.get(item);
    if (known) return known;
    this.#numbers += 1;
    const facts = { number: this.#numbers, length: this.#textOf(item).length };
    this.#facts.set(item, facts);
    return facts;
  }

  /** The items of a run with commas in between. */
  textOf({ items }: ItemRun): string {
    return items.map((item) => this.#textOf(item)).join(',');
  }

  #textOf(item: object): string {
    return this.#texts.printed(item, this.#print);
  }

  async partOf(run: ItemRun): Promise<GzipPart> {
    const key = run.items.map((item) => this.#factsOf(item).number).join();
    const recent = this.#recent.get(key);
    if (recent) return recent;
    const part = this.#older.get(key) ?? (await gzipPart(this.textOf(run)));
    this.#keep(key, part);
    return part;
  }

  #keep(key: string, part: GzipPart): void {
    const weight = part.bytes.length + key.length;
    if (this.#bytes + weight > this.#maxBytes) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#bytes = 0;
    }
    this.#recent.set(key, part);
    this.#bytes += weight;
  }
}
