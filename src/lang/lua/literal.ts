import { isObject } from '#base/std';

/** Levels of tables in one expression; the compiler keeps each in a register of its own and has about 250. */
const tallest = 40;
const special = /["\\\n\r\0]/;
const specials = /["\\\n\r\0]/g;
const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\000',
};

/**
 * Data as a Lua chunk that returns it.
 * compat engine H-29: nulls are left out; a field that is null is not there, and a list closes up.
 * An integer beyond 2^53 is written in full and becomes the nearest double.
 */
export function literal(value: unknown): string {
  const writer = new Writer();
  const result = writer.write(value);
  return `local D={}\n${writer.statements}return ${result}`;
}

/** A value nested deeper than one expression may be is built from the inside out, by statements before it. */
class Writer {
  statements = '';
  #count = 0;
  /** Of the value written last. */
  #height = 0;

  write(value: unknown): string {
    this.#height = 0;
    if (typeof value === 'string') return quote(value);
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
      return String(value);
    if (Array.isArray(value)) return this.#lower(this.#list(value));
    return isObject(value) ? this.#lower(this.#object(value)) : 'nil';
  }

  #object(object: Readonly<Record<string, unknown>>): string {
    let text = '{';
    let height = 0;
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (value === null || value === undefined) continue;
      text += `[${quote(key)}]=${this.write(value)},`;
      height = Math.max(height, this.#height);
    }
    this.#height = height + 1;
    return `${text}}`;
  }

  /** Numbered by hand where items are tables: unnumbered ones wait in registers, fifty at each level. */
  #list(list: readonly unknown[]): string {
    const items = list.filter((item) => item !== null && item !== undefined);
    const isFlat = items.every((item) => typeof item !== 'object');
    let text = '{';
    let height = 0;
    for (const [i, item] of items.entries()) {
      text += isFlat ? `${this.write(item)},` : `[${i + 1}]=${this.write(item)},`;
      height = Math.max(height, this.#height);
    }
    this.#height = height + 1;
    return `${text}}`;
  }

  #lower(table: string): string {
    if (this.#height < tallest) return table;
    this.#count += 1;
    this.statements += `D[${this.#count}]=${table}\n`;
    this.#height = 0;
    return `D[${this.#count}]`;
  }
}

function quote(text: string): string {
  return `"${special.test(text) ? text.replace(specials, (char) => escapes[char] ?? char) : text}"`;
}
