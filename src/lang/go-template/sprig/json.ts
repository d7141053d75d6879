import { toBase64 } from '#base/std';
import { sortedEntries } from '../format.ts';
import { types } from '../go-type.ts';
import { quoteRune } from '../quote.ts';
import { isStrayByte, runesOf, toBytes } from '../text.ts';
import {
  type CallContext,
  GoComplex,
  GoError,
  GoFunction,
  type GoInt,
  GoList,
  GoMap,
  GoObject,
  integerOf,
  type Value,
} from '../value.ts';

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** How to print JSON; compat sources HF-4. */
type Style = { readonly html: boolean; readonly indent: string };

/** encoding/json: keys in order, HTML characters escaped on request, floats with an exponent only where large or small. */
export function printGoJson(run: CallContext, value: Value, style: Style): string {
  return new JsonPrinter(run, style).print(value, '\n', 0);
}

const deepest = 500;

class JsonPrinter {
  readonly #run: CallContext;
  readonly #style: Style;

  constructor(run: CallContext, style: Style) {
    this.#run = run;
    this.#style = style;
  }

  print(value: Value, line: string, depth: number): string {
    this.#run.step();
    if (depth > deepest) throw new GoError(`json: value is nested deeper than ${deepest}`);
    if (value === null || value === undefined) return 'null';
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return jsonFloat(value);
    if (value instanceof GoList) return this.#list(value, line, depth);
    if (value instanceof GoMap) return this.#map(value, line, depth);
    if (value instanceof GoObject) return this.#object(value, line, depth);
    return this.#other(value);
  }

  #other(value: boolean | bigint | GoInt | GoComplex | GoFunction): string {
    if (value instanceof GoComplex || value instanceof GoFunction)
      throw new GoError(`json: unsupported type: ${value.type.name}`);
    return String(typeof value === 'boolean' ? value : integerOf(value));
  }

  #list(value: GoList, line: string, depth: number): string {
    if (value.isNil) return 'null';
    if (value.type === types.bytes)
      return `"${toBase64(Uint8Array.from(value.items, (item) => Number(integerOf(item) ?? 0n)))}"`;
    const inner = line + this.#style.indent;
    const items = value.items.map((item) => this.print(item, inner, depth + 1));
    return this.#joined('[', items, ']', line);
  }

  #map(value: GoMap, line: string, depth: number): string {
    if (value.isNil) return 'null';
    return this.#fields(sortedEntries(value), line, depth);
  }

  #fields(entries: readonly [string, Value][], line: string, depth: number): string {
    const inner = line + this.#style.indent;
    const colon = this.#style.indent === '' ? ':' : ': ';
    const fields = entries.map(
      ([key, field]) => this.#text(key) + colon + this.print(field, inner, depth + 1),
    );
    return this.#joined('{', fields, '}', line);
  }

  /** A time prints as RFC 3339, a struct as its fields. */
  #object(value: GoObject, line: string, depth: number): string {
    const { inner } = value;
    if (typeof inner === 'object' && inner !== null && 'json' in inner && typeof inner.json === 'function')
      return this.#text(String(inner.json()));
    return this.#fields([...value.fields], line, depth);
  }

  #joined(open: string, items: readonly string[], close: string, line: string): string {
    if (items.length === 0) return open + close;
    const text =
      this.#style.indent === ''
        ? open + items.join(',') + close
        : `${open}${line}${this.#style.indent}${items.join(`,${line}${this.#style.indent}`)}${line}${close}`;
    this.#run.alloc(text.length);
    return text;
  }

  #text(value: string): string {
    let text = '"';
    for (const char of runesOf(value)) text += this.#char(char);
    return `${text}"`;
  }

  #char(char: string): string {
    const known = escapes[char];
    if (known) return known;
    if (isStrayByte(char)) return '\\ufffd';
    const hidden =
      char < ' ' || char === '\u2028' || char === '\u2029' || (this.#style.html && '<>&'.includes(char));
    return hidden ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char;
  }
}

/** compat: exponents of one digit, below 1e-6 and from 1e21. */
function jsonFloat(value: number): string {
  if (!Number.isFinite(value))
    throw new GoError(
      `json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`,
    );
  if (Object.is(value, -0)) return '-0';
  return String(value);
}

/** json.Unmarshal into an interface: numbers are float64. Throws GoError with Go's message. */
export function parseGoJson(run: CallContext, text: string): Value {
  run.alloc(text.length * 2);
  return new JsonParser(run, text).document();
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;

class JsonParser {
  readonly #run: CallContext;
  readonly #text: string;
  #at = 0;

  constructor(run: CallContext, text: string) {
    this.#run = run;
    this.#text = text;
  }

  document(): Value {
    const value = this.#value(0, 'looking for beginning of value');
    this.#space();
    if (this.#at < this.#text.length) this.#fail('after top-level value');
    return value;
  }

  #fail(context: string): never {
    const char = runesOf(this.#text.slice(this.#at, this.#at + 2))[0];
    // compat: at the end Go's scanner reads one blank more
    if (char === undefined && !/^(?:in|after decimal) /.test(context))
      throw new GoError('unexpected end of JSON input');
    if (char === undefined) throw new GoError(`invalid character ' ' ${context}`);
    // compat: Go's scanner reads bytes
    const byte = toBytes(char)[0] ?? 0;
    const shown = char === "'" ? `'\\''` : char === '"' ? `'"'` : quoteRune(byte);
    throw new GoError(`invalid character ${shown} ${context}`);
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }

  #value(depth: number, context: string): Value {
    this.#run.step();
    if (depth > 10_000 || depth > deepest) throw new GoError('exceeded max depth');
    this.#space();
    const char = this.#text[this.#at];
    switch (char) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number(context);
    }
  }

  #word(word: string, value: boolean | null): Value {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) this.#fail(`in literal ${word} (expecting '${letter}')`);
      this.#at += 1;
    }
    return value;
  }

  #number(context: string): Value {
    number.lastIndex = this.#at;
    const found = number.exec(this.#text)?.[0];
    if (found === undefined) {
      if (this.#text[this.#at] !== '-') this.#fail(context);
      this.#at += 1;
      this.#fail('in numeric literal');
    }
    this.#at += found.length;
    const next = this.#text[this.#at] ?? '';
    if (next === '.') {
      this.#at += 1;
      this.#fail('after decimal point in numeric literal');
    }
    if (/[eE]/.test(next)) {
      this.#at += /[-+]/.test(this.#text[this.#at + 1] ?? '') ? 2 : 1;
      this.#fail('in exponent of numeric literal');
    }
    const value = Number(found);
    if (!Number.isFinite(value))
      throw new GoError(`json: cannot unmarshal number ${found} into Go value of type float64`);
    return value;
  }

  #array(depth: number): Value {
    const items: Value[] = [];
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === ']') {
      this.#at += 1;
      return new GoList(types.anys, items);
    }
    for (;;) {
      items.push(this.#value(depth + 1, 'looking for beginning of value'));
      this.#space();
      const char = this.#text[this.#at];
      if (char !== ',' && char !== ']') this.#fail('after array element');
      this.#at += 1;
      if (char === ']') return new GoList(types.anys, items);
    }
  }

  #object(depth: number): Value {
    const entries = new Map<string, Value>();
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === '}') {
      this.#at += 1;
      return new GoMap(types.map, entries);
    }
    let context = 'looking for beginning of object key string';
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail(context);
      const key = this.#string();
      this.#space();
      if (this.#text[this.#at] !== ':') this.#fail('after object key');
      this.#at += 1;
      entries.set(key, this.#value(depth + 1, 'looking for beginning of value'));
      this.#space();
      const char = this.#text[this.#at];
      if (char !== ',' && char !== '}') this.#fail('after object key:value pair');
      this.#at += 1;
      if (char === '}') return new GoMap(types.map, entries);
      context = 'looking for beginning of object key string';
    }
  }

  #string(): string {
    this.#at += 1;
    const pieces: string[] = [];
    let from = this.#at;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new GoError('unexpected end of JSON input');
      if (char === '"') break;
      if (char < ' ') this.#fail('in string literal');
      if (char !== '\\') {
        this.#at += 1;
        continue;
      }
      pieces.push(this.#text.slice(from, this.#at), this.#escape());
      from = this.#at;
    }
    pieces.push(this.#text.slice(from, this.#at));
    this.#at += 1;
    // half a surrogate pair and a stray byte both become U+FFFD
    return pieces.join('').replace(/\p{Surrogate}/gu, '\ufffd');
  }

  #escape(): string {
    const kind = this.#text[this.#at + 1] ?? '';
    const simple = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[kind];
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    this.#at += 1;
    if (kind !== 'u') this.#fail('in string escape code');
    this.#at += 1;
    const digits = this.#text.slice(this.#at, this.#at + 4);
    const good = /^[0-9a-fA-F]*/.exec(digits)?.[0].length ?? 0;
    this.#at += good;
    if (good < 4) this.#fail('in \\u hexadecimal character escape');
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}
