import { freeze, printJson } from '#std';
import { type Item, withMeta } from './item.ts';

/** One version of one object, frozen, with its bytes made at most once per form. */
export class Stored {
  readonly key: string;
  readonly item: Item;
  readonly rv: number;
  readonly #forms = new Map<string, string>();

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
    let text = this.#forms.get(name);
    if (text === undefined) {
      text = make(this.item);
      this.#forms.set(name, text);
    }
    return text;
  }
}

/** The object after its `{"kind":…,"apiVersion":…,`: what all served versions of it have in common. */
export function tailOf(item: Item): string {
  const { apiVersion: _version, kind: _kind, ...rest } = item;
  return printJson(rest).slice(1);
}
