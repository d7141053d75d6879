import { freeze, printJson } from '#base/std';
import { type Codec, json } from '#platform/store';
import { type Item, itemKey, nameOf, namespaceOf, withMeta } from './item.ts';

/** One version of one object, frozen. While it is recent its texts are cached, one per form. */
export class Stored {
  readonly key: string;
  readonly item: Item;
  readonly rv: number;
  #isNews = true;
  #bytes: number | undefined;
  /** Most objects are requested in one form only, which needs no map. */
  #first: string | undefined;
  #firstText = '';
  #others: Map<string, string> | undefined;

  /** `bytes`: the size of its text, where that is known. */
  constructor(key: string, item: Item, rv: number, bytes?: number) {
    this.key = key;
    this.item = freeze(item);
    this.rv = rv;
    this.#bytes = bytes;
  }

  /** About the size of the object's text in bytes; memory takes a small multiple of it. */
  get bytes(): number {
    this.#bytes ??= sizeOf(this.item);
    return this.#bytes;
  }

  /**
   * The same object with the number of a later write: the DELETED event of a watch whose selector it no longer
   * matches.
   */
  at(rv: number): Stored {
    return new Stored(this.key, withMeta(this.item, { resourceVersion: String(rv) }), rv, this.#bytes);
  }

  /**
   * Text of this object in some form: full, partial. The store, the response and all watches share the cached
   * text.
   */
  form(name: string, make: (item: Item) => string): string {
    const known = this.#known(name);
    if (known !== undefined) return known;
    const text = make(this.item);
    this.#bytes ??= text.length;
    if (this.#isNews) this.#keep(name, text);
    return text;
  }

  /** Drops the cached texts for good: few requests will need them again, and there may be very many objects. */
  becomeOld(): void {
    this.#isNews = false;
    this.#first = undefined;
    this.#firstText = '';
    this.#others = undefined;
  }

  #keep(name: string, text: string): void {
    if (this.#first === undefined) {
      this.#first = name;
      this.#firstText = text;
      return;
    }
    this.#others ??= new Map();
    this.#others.set(name, text);
  }

  #known(name: string): string | undefined {
    return this.#first === name ? this.#firstText : this.#others?.get(name);
  }
}

/** The object after its `{"kind":…,"apiVersion":…,`: the part that all served versions have in common. */
export function tailOf(item: Item): string {
  const { apiVersion: _version, kind: _kind, ...rest } = item;
  return printJson(rest).slice(1);
}

/** The size of a value as text, without creating the text. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let size = 2;
  for (const key in value) size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key]);
  return size;
}

const plain = json<Item>();

/** The storage format of objects: the text of responses and watches. */
export const storedJson: Codec<Stored> = {
  name: plain.name,
  encode(stored) {
    const { apiVersion, kind } = stored.item;
    return Buffer.from(`{"apiVersion":"${apiVersion}","kind":"${kind}",${stored.form('tail', tailOf)}`);
  },
  decode(raw) {
    const item = plain.decode(raw);
    const key = itemKey(namespaceOf(item), nameOf(item));
    const stored = new Stored(key, item, Number(item.metadata.resourceVersion), raw.length);
    stored.becomeOld();
    return stored;
  },
};
