import { FairleadError } from '#base/std';
import { compareKeys } from './key-order.ts';
import {
  blockText,
  foldedText,
  inlineText,
  isBlock,
  isGoBlock,
  keyTextOf,
  needsIndentHint,
} from './scalar-style.ts';

/** How to print; everything has a default. */
export type PrintOptions = {
  /** `asGiven` (the default) keeps the order of the object, `sorted` is that of kubectl and Helm. */
  readonly keys?: 'asGiven' | 'sorted';
  /** `whole` (the default) leaves long texts on one line, `folded` breaks them as go-yaml v2 does, byte for byte. */
  readonly lines?: 'whole' | 'folded';
  /** `flush` (the default) puts the items of a list below the first letter of its key, as kubectl does; `indented` two to the right. */
  readonly lists?: 'flush' | 'indented';
};

/**
 * One value as a YAML document in block style, ending in a line break; both dialects read back the same value.
 * Fields that are undefined are left out, as in JSON. NaN, Infinity and anything that is not plain data throw.
 */
export function print(value: unknown, options: PrintOptions = {}): string {
  return new Printer(options).document(value);
}

/** Several values as one stream, with `---` between them; the empty string for none. */
export function printAll(values: readonly unknown[], options: PrintOptions = {}): string {
  return values.map((value) => print(value, options)).join('---\n');
}

const step = 2;
const deepest = 1000; // deeper than any reader of ours allows; stops a cycle long before the stack does
const longestSimpleKey = 128; // compat: where go-yaml changes to `? key`; libyaml gives up at 1024

type Fields = Readonly<Record<string, unknown>>;

class Printer {
  readonly #isSorted: boolean;
  readonly #isFolded: boolean;
  readonly #listStep: number;
  readonly #pads: string[] = [];
  #out = '';
  #depth = 0;

  constructor({ keys, lines, lists }: PrintOptions) {
    this.#isSorted = keys === 'sorted';
    this.#isFolded = lines === 'folded';
    this.#listStep = lists === 'indented' ? step : 0;
  }

  document(value: unknown): string {
    // a block at the root cannot declare its indentation: libyaml and the standard count it differently
    if (typeof value === 'string' && needsIndentHint(value) && !this.#isFolded)
      return `${inlineText(value)}\n`;
    this.#node(value, 0, '');
    return this.#out;
  }

  /**
   * A value whose line may have been begun: its first line follows `lead`, the others begin at column
   * `indent`.
   */
  #node(value: unknown, indent: number, lead: string): void {
    if (this.#depth > deepest) throw tooDeep();
    this.#depth += 1;
    if (Array.isArray(value) && value.length > 0) this.#list(value, indent, lead);
    else if (isObject(value) && hasFields(value)) this.#mapping(value, indent, lead);
    else {
      this.#out += lead;
      this.#out += this.#scalar(value, indent);
    }
    this.#depth -= 1;
  }

  /** Items at column `indent`; the first follows `lead`. */
  #list(items: readonly unknown[], indent: number, lead: string): void {
    let before = lead;
    for (const item of items) {
      this.#out += `${before}-`;
      this.#node(item, indent + step, ' ');
      before = this.#pad(indent);
    }
  }

  #mapping(fields: Fields, indent: number, lead: string): void {
    let before = lead;
    for (const key of this.#keysOf(fields)) {
      if (this.#isSimple(key)) {
        this.#out += `${before}${keyTextOf(key, this.#isFolded)}:`;
        this.#field(fields[key], indent);
      } else {
        this.#out += `${before}? `;
        this.#out += this.#isFolded ? this.#text(key, this.#pad(indent + step)) : `${keyTextOf(key)}\n`;
        this.#out += `${this.#pad(indent)}:`;
        this.#node(fields[key], indent + step, ' ');
      }
      before = this.#pad(indent);
    }
  }

  #isSimple(key: string): boolean {
    if (!this.#isFolded) return keyTextOf(key).length <= longestSimpleKey;
    return !key.includes('\n') && new TextEncoder().encode(key).length <= longestSimpleKey;
  }

  /** The value behind `key:`, where that key stands at column `indent`. */
  #field(value: unknown, indent: number): void {
    if (Array.isArray(value) && value.length > 0) this.#below(value, indent + this.#listStep);
    else if (isObject(value) && hasFields(value)) this.#below(value, indent + step);
    else this.#node(value, indent + step, ' ');
  }

  #below(value: unknown, indent: number): void {
    this.#out += '\n';
    this.#node(value, indent, this.#pad(indent));
  }

  #scalar(value: unknown, indent: number): string {
    switch (typeof value) {
      case 'string':
        return this.#text(value, this.#pad(Math.max(indent, step)));
      case 'number':
        return `${numberText(value)}\n`;
      case 'bigint':
      case 'boolean':
        return `${value}\n`;
      case 'object':
        return value === null ? 'null\n' : `${Array.isArray(value) ? '[]' : '{}'}\n`;
      case 'undefined':
        return 'null\n';
      default:
        throw notData(value);
    }
  }

  #text(value: string, pad: string): string {
    if (this.#isFolded ? isGoBlock(value) : isBlock(value)) return blockText(value, pad);
    if (!this.#isFolded) return `${inlineText(value)}\n`;
    const column = this.#out.length - this.#out.lastIndexOf('\n') - 1;
    return `${foldedText(value, { column, pad })}\n`;
  }

  #keysOf(fields: Fields): string[] {
    const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
    return this.#isSorted ? keys.sort(compareKeys) : keys;
  }

  #pad(indent: number): string {
    let pad = this.#pads[indent];
    if (pad === undefined) {
      pad = ' '.repeat(indent);
      this.#pads[indent] = pad;
    }
    return pad;
  }
}

/** A mapping of ours. Throws on dates, maps and the like, which would silently print as nothing. */
function isObject(value: unknown): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw notData(value);
  return true;
}

function hasFields(fields: Fields): boolean {
  for (const key in fields) if (fields[key] !== undefined) return true;
  return false;
}

/** An integer beyond 2^53 in a double keeps its exponent, so that it is not read back as a bigint. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new FairleadError('RenderFailed', `yaml: ${value} has no JSON form`);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value);
}

const notData = (value: unknown): FairleadError =>
  new FairleadError(
    'Internal',
    `yaml: only plain data can be printed, not ${Object.prototype.toString.call(value)}`,
  );
const tooDeep = (): FairleadError =>
  new FairleadError('LimitExceeded', `yaml: a value nested deeper than ${deepest} cannot be printed`);
