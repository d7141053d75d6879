import { invalidExpression } from './errors.ts';

type TokenKind = 'name' | 'number' | 'string' | 'operator' | 'bracket' | 'end';
export type ExprToken = { readonly kind: TokenKind; readonly text: string; readonly at: number };

const ignored = /(?:[\s\u0085\u00a0]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const number =
  /(?:0[xX][0-9a-fA-F_]*|0[oO][0-7_]*|0[bB][01_]*|[0-9][0-9_]*)(?:\.(?!\.)[0-9_]*)?(?:[eE][-+]?[0-9_]*)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9_]*)?/y;
const word = /[\p{L}_$][\p{L}\p{Nd}_$]*/uy;
const quoted = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/y;
const raw = /`[^`]*`/y;
const bracket = /[([{)\]}]/y;
const operator = /\|\|?|::?|\?[.?]?|\.\.?|[&!=*<>][&=*]?|[,;%+\-^/#]/y;
const letter = /[\p{L}\p{Nd}_$]/uy;
const words = new Set([
  ...['in', 'or', 'and', 'not', 'matches', 'contains', 'startsWith', 'endsWith', 'let', 'if', 'else'],
]);

/** Throws InvalidSpec with the place of a character that begins no token. */
export function lex(text: string): ExprToken[] {
  const tokens: ExprToken[] = [];
  const reader = new Reader(text);
  for (let token = reader.next(); ; token = reader.next()) {
    tokens.push(token);
    if (token.kind === 'end') return tokens;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): ExprToken {
    this.#at += this.#match(ignored)?.length ?? 0;
    if (this.#at >= this.#text.length) return { kind: 'end', text: 'the end', at: this.#at };
    const token = this.#number() ?? this.#string() ?? this.#word() ?? this.#sign();
    if (!token) throw this.#invalid();
    return token;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #take(kind: TokenKind, source: string, text = source): ExprToken {
    const token = { kind, text, at: this.#at };
    this.#at += source.length;
    return token;
  }

  #number(): ExprToken | undefined {
    const source = this.#match(number);
    if (source === undefined) return undefined;
    const token = this.#take('number', source);
    if (this.#match(letter)) throw invalidExpression(this.#text, this.#at, `a letter follows ${source}`);
    return token;
  }

  #string(): ExprToken | undefined {
    const source = this.#match(quoted);
    if (source !== undefined) return this.#take('string', source, this.#unquoted(source.slice(1, -1)));
    const verbatim = this.#match(raw);
    return verbatim === undefined ? undefined : this.#take('string', verbatim, verbatim.slice(1, -1));
  }

  #word(): ExprToken | undefined {
    const name = this.#match(word);
    return name === undefined ? undefined : this.#take(words.has(name) ? 'operator' : 'name', name);
  }

  #sign(): ExprToken | undefined {
    if (this.#text.startsWith('/*', this.#at)) return undefined;
    const found = this.#match(bracket);
    if (found) return this.#take('bracket', found);
    const sign = this.#match(operator);
    return sign === undefined ? undefined : this.#take('operator', sign);
  }

  #unquoted(body: string): string {
    if (!body.includes('\\')) return body;
    return body.replace(escapes, (source) => {
      const char = charOf(source.slice(1));
      if (char === undefined)
        throw invalidExpression(this.#text, this.#at, `a string contains the unknown escape ${source}`);
      return char;
    });
  }

  #invalid(): Error {
    const [char = ''] = this.#text.slice(this.#at);
    const rest = this.#text.slice(this.#at, this.#at + 2);
    if (rest === '/*') return invalidExpression(this.#text, this.#at, 'a comment is not closed');
    if (`"'\``.includes(char)) return invalidExpression(this.#text, this.#at, 'a string is not closed');
    return invalidExpression(this.#text, this.#at, `unexpected ${JSON.stringify(char)}`);
  }
}

const single: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '`': '`', '?': '?' },
};
const escapes = /\\(?:[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)/gs;

/** What an escape without its backslash means; undefined when it means nothing. */
function charOf(code: string): string | undefined {
  if (code.length === 1) return single[code];
  const isOctal = /^[0-3]/.test(code);
  const point = isOctal ? Number.parseInt(code, 8) : Number.parseInt(code.slice(1), 16);
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  return point <= 0x10ffff && !isSurrogate ? String.fromCodePoint(point) : undefined;
}
