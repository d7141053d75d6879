/**
 * Items that were listed lately, as text or as bytes. Objects of the cluster never change once they are read, and a page, a
 * script and a colleague list the same ones: each is printed once. Holds at most twice its limit, and no item alive.
 */
export class PrintedItems<Printed extends { readonly length: number }> {
  readonly #maxLength: number;
  #recent = new WeakMap<object, Printed>();
  #older = new WeakMap<object, Printed>();
  #length = 0;

  /** Half of what it may hold, in characters or bytes. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  printed(item: unknown, print: (item: unknown) => Printed): Printed {
    if (typeof item !== 'object' || item === null) return print(item);
    const recent = this.#recent.get(item);
    if (recent !== undefined) return recent;
    const printed = this.#older.get(item) ?? print(item);
    this.#keep(item, printed);
    return printed;
  }

  #keep(item: object, printed: Printed): void {
    if (this.#length + printed.length > this.#maxLength) {
      this.#older = this.#recent;
      this.#recent = new WeakMap();
      this.#length = 0;
    }
    this.#recent.set(item, printed);
    this.#length += printed.length;
  }
}
