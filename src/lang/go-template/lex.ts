import { quote } from './quote.ts';

/** What a piece of a template is. A keyword's type is the keyword. */
export type TokenType =
  | 'error'
  | 'eof'
  | 'text'
  | 'left'
  | 'right'
  | 'space'
  | 'assign'
  | 'declare'
  | 'pipe'
  | '('
  | ')'
  | 'char'
  | 'charConstant'
  | 'string'
  | 'rawString'
  | 'number'
  | 'complex'
  | 'bool'
  | 'field'
  | 'variable'
  | 'identifier'
  | Keyword;

const keywords = [
  '.',
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
] as const;
type Keyword = (typeof keywords)[number];
const keywordSet: ReadonlySet<string> = new Set(keywords);
const isKeyword = (word: string): word is Keyword => keywordSet.has(word);

/** `pos` counts UTF-16 units. */
export type Token = { type: TokenType; pos: number; text: string; line: number };

const spaces = /[ \t\r\n]+/y;
const trailingSpaces = /[ \t\r\n]+$/;
const word = /[\p{L}\p{Nd}_]+/uy;
const alphaNumeric = /[\p{L}\p{Nd}_]/uy;
const leftTrim = /-[ \t\r\n]/y;
const rightTrim = /[ \t\r\n]-\}\}/y;
const quoted = /"(?:[^"\\\n]|\\[^\n])*"/uy;
const character = /'(?:[^'\\\n]|\\[^\n])*'/uy;
const raw = /`[^`]*`/y;
const number =
  /[-+]?(?:0[xX][0-9a-fA-F_]*\.?[0-9a-fA-F_]*(?:[pP][-+]?[0-9_]*)?|0[oO][0-7_]*\.?[0-7_]*|0[bB][01_]*\.?[01_]*|[0-9_]*\.?[0-9_]*(?:[eE][-+]?[0-9_]*)?)i?/y;

/** Splits a template into tokens, one at a time, so that the parser meets errors in the order of the text. */
export class TemplateLexer {
  readonly #text: string;
  #at = 0;
  #start = 0;
  #inside = false;
  #parens = 0;
  #failed: Token | undefined;
  #line = 1;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    if (this.#failed) return { type: 'eof', pos: 0, text: 'EOF', line: this.#failed.line };
    return this.#inside ? this.#action() : this.#outside();
  }

  #emit(type: TokenType): Token {
    const token = {
      type,
      pos: this.#start,
      text: this.#text.slice(this.#start, this.#at),
      line: this.#lineAt(),
    };
    this.#start = this.#at;
    return token;
  }

  #fail(message: string): Token {
    this.#failed = { type: 'error', pos: this.#start, text: message, line: this.#lineAt() };
    return this.#failed;
  }

  /** TokenReader come in order, so lines are counted on. */
  #lineAt(): number {
    for (; this.#counted < this.#start; this.#counted++)
      if (this.#text[this.#counted] === '\n') this.#line += 1;
    return this.#line;
  }

  #matches(pattern: RegExp, at = this.#at): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text)?.[0];
  }

  /** Text up to an action; comments vanish, and with them the spaces that they trim. */
  #outside(): Token {
    for (;;) {
      const found = this.#text.indexOf('{{', this.#at);
      const text = this.#textUpTo(found);
      if (text) return text;
      const token = found < 0 ? this.#emit('eof') : this.#leftDelimiter();
      if (token) return token;
    }
  }

  /** The text before an action that begins at `found`; undefined when nothing is left of it. */
  #textUpTo(found: number): Token | undefined {
    const end = found < 0 ? this.#text.length : found;
    const trims = found >= 0 && this.#matches(leftTrim, found + 2) !== undefined;
    const text = this.#text.slice(this.#start, end);
    this.#at = trims ? this.#start + text.replace(trailingSpaces, '').length : end;
    const token = this.#at > this.#start ? this.#emit('text') : undefined;
    this.#at = end;
    this.#start = end;
    return token;
  }

  #leftDelimiter(): Token | undefined {
    this.#at += 2;
    const marker = this.#matches(leftTrim) === undefined ? 0 : 2;
    if (this.#text.startsWith('/*', this.#at + marker)) {
      this.#at += marker;
      this.#start = this.#at;
      return this.#comment();
    }
    const token = this.#emit('left');
    this.#at += marker;
    this.#start = this.#at;
    this.#inside = true;
    this.#parens = 0;
    return token;
  }

  #comment(): Token | undefined {
    const end = this.#text.indexOf('*/', this.#at + 2);
    if (end < 0) return this.#fail('unclosed comment');
    this.#at = end + 2;
    const delimiter = this.#rightDelimiter();
    if (!delimiter) return this.#fail('comment ends before closing delimiter');
    this.#at += delimiter.length;
    if (delimiter.length > 2) this.#at += (this.#matches(spaces) ?? '').length;
    this.#start = this.#at;
    return undefined;
  }

  /** `}}` or ` -}}` when it stands here. */
  #rightDelimiter(): string | undefined {
    if (this.#text.startsWith('}}', this.#at)) return '}}';
    return this.#matches(rightTrim);
  }

  #close(delimiter: string): Token {
    this.#start = this.#at + delimiter.length - 2;
    this.#at = this.#start + 2;
    const token = this.#emit('right');
    if (delimiter.length > 2) this.#at += (this.#matches(spaces) ?? '').length;
    this.#start = this.#at;
    this.#inside = false;
    return token;
  }

  #action(): Token {
    const delimiter = this.#rightDelimiter();
    if (delimiter) return this.#parens === 0 ? this.#close(delimiter) : this.#fail('unclosed left paren');
    const run = this.#matches(spaces);
    if (run) return this.#space(run);
    const char = this.#char();
    switch (char) {
      case '':
        return this.#fail('unclosed action');
      case '"':
        return this.#literal(quoted, 'string', 'unterminated quoted string');
      case '`':
        return this.#literal(raw, 'rawString', 'unterminated raw quoted string');
      case "'":
        return this.#literal(character, 'charConstant', 'unterminated character constant');
      case '$':
        return this.#name('variable');
      case '(':
      case ')':
        return this.#paren(char);
      default:
        return this.#operator(char);
    }
  }

  #char(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  /** A run of spaces; its last one is left where it begins ` -}}`. */
  #space(run: string): Token {
    this.#at += run.length;
    if (this.#matches(rightTrim, this.#at - 1) !== undefined) {
      this.#at -= 1;
      if (run.length === 1) return this.#close(this.#rightDelimiter() ?? '');
    }
    return this.#emit('space');
  }

  #literal(pattern: RegExp, type: TokenType, complaint: string): Token {
    const found = this.#matches(pattern);
    if (found === undefined) return this.#fail(complaint);
    this.#at += found.length;
    return this.#emit(type);
  }

  #paren(char: '(' | ')'): Token {
    this.#parens += char === '(' ? 1 : -1;
    if (this.#parens < 0) return this.#fail('unexpected right paren');
    this.#at += 1;
    return this.#emit(char);
  }

  #operator(char: string): Token {
    const next = this.#text[this.#at + 1] ?? '';
    if (char === '.' && next !== '' && !/[0-9]/.test(next)) return this.#name('field');
    if (/[-+.0-9]/.test(char)) return this.#number();
    if (this.#matches(alphaNumeric) !== undefined) return this.#word();
    if (char === ':' && next !== '=') {
      return this.#fail('expected :=');
    }
    this.#at += char === ':' ? 2 : char.length;
    if (char === ':') return this.#emit('declare');
    if (char === '=') return this.#emit('assign');
    if (char === '|') return this.#emit('pipe');
    if (/^[!-~]$/.test(char)) return this.#emit('char');
    return this.#fail(`unrecognized character in action: ${unicode(char)}`);
  }

  #word(): Token {
    const found = this.#matches(word) ?? '';
    this.#at += found.length;
    if (!this.#atTerminator()) return this.#fail(`bad character ${unicode(this.#char())}`);
    if (isKeyword(found)) return this.#emit(found);
    return this.#emit(found === 'true' || found === 'false' ? 'bool' : 'identifier');
  }

  /** `.name` or `$name`, or the sign alone. */
  #name(type: 'field' | 'variable'): Token {
    this.#at += 1;
    if (this.#atTerminator()) return this.#emit(type === 'variable' ? 'variable' : '.');
    this.#at += (this.#matches(word) ?? '').length;
    if (!this.#atTerminator()) return this.#fail(`bad character ${unicode(this.#char())}`);
    return this.#emit(type);
  }

  #atTerminator(): boolean {
    const char = this.#text[this.#at];
    return char === undefined || /[ \t\r\n.,|:()]/.test(char) || this.#text.startsWith('}}', this.#at);
  }

  #number(): Token {
    if (!this.#scanNumber()) return this.#badNumber();
    if (!/^[-+]$/.test(this.#char())) return this.#emit('number');
    if (!this.#scanNumber() || this.#text[this.#at - 1] !== 'i') return this.#badNumber();
    return this.#emit('complex');
  }

  #scanNumber(): boolean {
    this.#at += (this.#matches(number) ?? '').length;
    const after = this.#matches(alphaNumeric);
    if (after === undefined) return true;
    this.#at += after.length;
    return false;
  }

  #badNumber(): Token {
    return this.#fail(`bad number syntax: ${quote(this.#text.slice(this.#start, this.#at))}`);
  }
}

/** `U+0023 '#'`, as Go's %#U. */
function unicode(char: string): string {
  if (char === '') return 'U+FFFFFFFFFFFFFFFF';
  const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char) ? `U+${code} '${char}'` : `U+${code}`;
}

/** A token as error messages name it. */
export function describe(token: Token): string {
  if (token.type === 'eof') return 'EOF';
  if (token.type === 'error') return token.text;
  if (isKeyword(token.type)) return `<${token.text}>`;
  const runes = Array.from(token.text);
  return new TextEncoder().encode(token.text).length > 10
    ? `${quote(runes.slice(0, 10).join(''))}...`
    : quote(token.text);
}
