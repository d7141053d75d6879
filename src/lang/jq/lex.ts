import { FairleadError } from '#base/std';

export type TokenKind =
  | 'name'
  | 'variable'
  | 'field'
  | 'number'
  | 'format'
  | 'keyword'
  | 'sign'
  | 'quote'
  | 'end';

export type JqToken = { readonly kind: TokenKind; readonly text: string; readonly at: number };

const keywords = new Set(
  'or and module import include def as label break null true false if then elif else end try catch reduce foreach'.split(
    ' ',
  ),
);

const blank = /[\t\n\r ]+/y;
const name = /[A-Za-z_]\w*(?:::[A-Za-z_]\w*)?/y;
const variable = /\$[A-Za-z_]\w*(?:::[A-Za-z_]\w*)?/y;
const field = /\.[A-Za-z_]\w*/y;
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const format = /@\w+/y;
const sign = /\?\/\/|\/\/=|\.\.|[|+\-*/%=!<>]=|\/\/|[.[\]{}()|,:;=<>+\-*/%?]/y;

const kinds: readonly [RegExp, TokenKind][] = [
  [number, 'number'],
  [field, 'field'],
  [variable, 'variable'],
  [name, 'name'],
  [format, 'format'],
  [sign, 'sign'],
];

/** A piece of a string and how it ended: with the closing quote, or at an interpolation. */
export type JqStringPart = { readonly text: string; readonly closed: boolean };

/** Reads tokens one by one; the parser reads the inside of a string piece by piece. */
export class Lexer {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): JqToken {
    this.#skip();
    const at = this.#at;
    if (at >= this.#text.length) return { kind: 'end', text: '', at };
    if (this.#text[at] === '"') {
      this.#at += 1;
      return { kind: 'quote', text: '"', at };
    }
    for (const [pattern, kind] of kinds) {
      const text = this.#match(pattern);
      if (text !== undefined) return this.#token(kind, text, at);
    }
    throw this.fault(at, 'unexpected character');
  }

  #token(kind: TokenKind, text: string, at: number): JqToken {
    if (kind === 'name' && keywords.has(text)) return { kind: 'keyword', text, at };
    if (kind === 'number') this.#endOfNumber(text, at);
    return { kind, text, at };
  }

  /** compat gojq: `1.2.3`, `1x` and `1e` are not numbers followed by something. */
  #endOfNumber(text: string, at: number): void {
    const next = this.#text[this.#at] ?? '';
    const second = next === '.' && text.includes('.') && !/e/i.test(text);
    if (second || /[A-Za-z_]/.test(next)) throw this.fault(at, 'malformed number');
  }

  /** The text up to the next interpolation or the closing quote, with escapes undone. */
  chunk(): JqStringPart {
    const start = this.#at;
    let text = '';
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      this.#at += 1;
      if (char === '"') return { text, closed: true };
      if (char !== '\\') {
        text += char;
        continue;
      }
      if (this.#text[this.#at] === '(') {
        this.#at += 1;
        return { text, closed: false };
      }
      text += this.#escape();
    }
    throw this.fault(start - 1, 'string without an end');
  }

  #escape(): string {
    const at = this.#at - 1;
    const char = this.#text[this.#at] ?? '';
    this.#at += 1;
    const plain = escapes.get(char);
    if (plain !== undefined) return plain;
    const code =
      char === 'u' ? /^[\da-fA-F]{4}/.exec(this.#text.slice(this.#at, this.#at + 4))?.[0] : undefined;
    if (code === undefined) throw this.fault(at, 'unknown escape in a string');
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #skip(): void {
    for (;;) {
      this.#match(blank);
      if (this.#text[this.#at] !== '#') return;
      this.#skipComment();
    }
  }

  /** compat gojq: a comment continues after a backslash at the end of its line. */
  #skipComment(): void {
    const end = /(?:\\(?:\\|\r?\n|.)|[^\\\n\r])*/y;
    this.#match(end);
    if (this.#text[this.#at] === '\\') this.#at += 1;
  }

  /** An InvalidSpec that shows where. */
  fault(at: number, problem: string): FairleadError {
    return faultAt(this.#text, at, problem);
  }
}

const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Names the position, counted from 1, and the piece of the text that begins there. */
export function faultAt(text: string, at: number, problem: string): FairleadError {
  const piece = text.slice(at, at + 20);
  const place = piece === '' ? 'at its end' : `at character ${at + 1} (${JSON.stringify(piece)})`;
  return new FairleadError('InvalidSpec', `invalid jq expression ${place}: ${problem}`);
}
