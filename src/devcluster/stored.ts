import { freeze, printJson } from '#std';
import { type Item, withMeta } from './item.ts';

/** One version of one object, frozen, with its bytes made at most once per form. */
export class Stored {
  readonly key: string;
  readonly item: Item;
  readonly rv: number;
  /** Most objects are only ever shown in one form: that one needs no map. */
  #first: string | undefined;
  #firstText = '';
  #others: Map<string, string> | undefined;

  constructor(key: string, item: Item, rv: number) {
    this.key = key;
    this.item = freeze(item);
    this.rv = rv;
  }

  /** The same object under the number of a later write: how a watcher sees what has left its selection. */
  at(rv: number): Stored {
    return new Stored(this.key, withMeta(this.item, { resourceVersion: String(rv) }), rv);
  }

  /** Text of this object in some form: full, partial, a table row. `make` is asked once per form. */
  form(name: string, make: (item: Item) => string): string {
    const known = this.#known(name);
    if (known !== undefined) return known;
    const text = make(this.item);
    if (this.#first === undefined) {
      this.#first = name;
      this.#firstText = text;
    } else {
      this.#others ??= new Map();
      this.#others.set(name, text);
    }
    return text;
  }

  /** As form, for a reader of very many objects: what is not known yet is made and not kept. */
  passing(name: string, make: (item: Item) => string): string {
    return this.#known(name) ?? make(this.item);
  }

  /** Gives up the texts: nobody is likely to ask for them again soon. */
  forgetForms(): void {
    this.#first = undefined;
    this.#firstText = '';
    this.#others = undefined;
  }

  #known(name: string): string | undefined {
    return this.#first === name ? this.#firstText : this.#others?.get(name);
  }
}

/** The object after its `{"kind":…,"apiVersion":…,`: what all served versions of it have in common. */
export function tailOf(item: Item): string {
  const { apiVersion: _version, kind: _kind, ...rest } = item;
  return printJson(rest).slice(1);
}
