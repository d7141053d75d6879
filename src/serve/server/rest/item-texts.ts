/**
 * The JSON texts of items that were listed lately. Objects of the cluster never change once they are read, and a page, a
 * script and a colleague list the same ones: each is printed once. Holds at most twice its limit, and no item alive.
 */
export class ItemTexts {
  readonly #maxLength: number;
  #recent = new WeakMap<object, string>();
  #older = new WeakMap<object, string>();
  #length = 0;

  /** Half of what it may hold, in characters. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  textOf(item: unknown, print: (item: unknown) => string): string {
    if (typeof item !== 'object' || item === null) return print(item);
    const recent = this.#recent.get(item);
    if (recent !== undefined) return recent;
    const text = this.#older.get(item) ?? print(item);
    this.#keep(item, text);
    return text;
  }

  #keep(item: object, text: string): void {
    if (this.#length + text.length > this.#maxLength) {
      this.#older = this.#recent;
      this.#recent = new WeakMap();
      this.#length = 0;
    }
    this.#recent.set(item, text);
    this.#length += text.length;
  }
}
