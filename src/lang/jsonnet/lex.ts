import { JsonnetError, type SourceText } from './fault.ts';
import { readQuoted, readTextBlock, readVerbatim } from './string-literal.ts';

export type JsonnetToken = {
  readonly kind: 'name' | 'keyword' | 'number' | 'string' | 'symbol' | 'end';
  /** The value of a string; the letters of anything else. */
  readonly text: string;
  readonly at: number;
  /** A string that was written as a text block. */
  readonly block?: boolean;
};

const keywords = new Set(
  'assert else error false for function if import importstr importbin in local null tailstrict then self super true'.split(
    ' ',
  ),
);
const blank = /(?:[ \t\r\n]+|#[^\n]*|\/\/[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const operator = /[!$:~+\-&|^=<>*/%]{1,4}/y;
const bracket = /[{}[\]().,;]/y;

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** All tokens of a text and one that marks its end. Throws a JsonnetError with its position. */
export function lex(source: SourceText): JsonnetToken[] {
  const tokens: JsonnetToken[] = [];
  let at = 0;
  for (;;) {
    at = skipBlank(source, at);
    if (at >= source.text.length) break;
    const { token, end } = next(source, at);
    tokens.push(token);
    at = end;
  }
  tokens.push({ kind: 'end', text: 'the end of the file', at });
  return tokens;
}

function skipBlank(source: SourceText, start: number): number {
  let at = start;
  for (;;) {
    at += match(blank, source.text, at)?.length ?? 0;
    if (!source.text.startsWith('/*', at)) return at;
    const close = source.text.indexOf('*/', at + 2);
    if (close < 0) throw new JsonnetError('a comment is not closed: add */', { source, at });
    at = close + 2;
  }
}

function next(source: SourceText, at: number): { token: JsonnetToken; end: number } {
  const { text } = source;
  const quoted = stringAt(source, at);
  if (quoted) {
    const { value, end, block = false } = quoted;
    return { token: { kind: 'string', text: value, at, block }, end };
  }
  const found = match(word, text, at);
  if (found) return spelled(keywords.has(found) ? 'keyword' : 'name', found, at);
  const digits = match(number, text, at);
  if (digits) return spelled('number', checkedNumber(source, digits, at), at);
  const single = match(bracket, text, at);
  if (single) return spelled('symbol', single, at);
  const symbol = symbolAt(text, at);
  if (symbol) return spelled('symbol', symbol, at);
  throw new JsonnetError(`the character ${JSON.stringify(text[at])} means nothing here`, { source, at });
}

const spelled = (
  kind: JsonnetToken['kind'],
  text: string,
  at: number,
): { token: JsonnetToken; end: number } => ({
  token: { kind, text, at },
  end: at + text.length,
});

function stringAt(
  source: SourceText,
  at: number,
): { value: string; end: number; block?: boolean } | undefined {
  const char = source.text[at];
  if (char === '"' || char === "'") return readQuoted(source, at);
  const following = source.text[at + 1];
  if (char === '@' && (following === '"' || following === "'")) return readVerbatim(source, at);
  if (source.text.startsWith('|||', at)) return { ...readTextBlock(source, at), block: true };
  return undefined;
}

function checkedNumber(source: SourceText, digits: string, at: number): string {
  const after = source.text[at + digits.length] ?? '';
  if (/[0-9_]/.test(after) || (after === '.' && /[0-9]/.test(source.text[at + digits.length + 1] ?? ''))) {
    throw new JsonnetError('this is not a number', { source, at });
  }
  if (/[.eE]/.test(after) && !/[.eE]/.test(digits)) {
    throw new JsonnetError('a number needs digits after its point or exponent', { source, at });
  }
  return digits;
}

/**
 * compat sources JSN-4: operators are taken as long as they can be, but end before a comment or a text block, and no longer
 * one ends with a sign that could begin an operand. None has more than four characters.
 */
function symbolAt(text: string, at: number): string | undefined {
  const symbol = match(operator, text, at);
  if (symbol === undefined) return undefined;
  const stop = text.slice(at, at + 7).search(/\/\/|\/\*|\|\|\|/);
  const whole = stop > 0 ? symbol.slice(0, stop) : symbol;
  return whole.replace(/(?<=.)[+\-~!$]+$/, '');
}
