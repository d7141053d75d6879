import { isAmbiguous } from './dialect.ts';

/**
 * How a string is written so that both dialects, and go-yaml itself, read back the same string.
 * The choices are go-yaml v2's: double quotes for what would be taken for another type or cannot be seen, single
 * quotes for what would be taken for syntax, `|` for several lines. Unlike it we leave tabs in a `|` and characters
 * beyond U+FFFF as they are, because people read them.
 */

// not to be seen, or taken for a line break by YAML 1.1
const invisible =
  /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ud800-\udfff\ue000-\ufefe\uff00-\ufffd]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const invisibleInBlock = new RegExp(invisible.source.replace('[^\\n', '[^\\n\\t'));

// first characters with a meaning, and the sequences that mean something anywhere
const syntax = /^[ #,[\]{}&*!|>'"%@`]|^[-?:](?: |$)|^---|^\.\.\.|: | #|[ :]$/;
// all that an ordinary word can contain: then no other check is needed
const word = /^[A-Za-z/_$(][\w/$().=-]*$/;

const astral = /[\ud800-\udbff][\udc00-\udfff]/;
const trailingSpaces = / (?:\n|$)/;
const openingSpace = /^[ \n]/;
const openingTab = /^\n*\t/;

/** A string on one line. */
export function inlineText(value: string): string {
  const quote = quoteFor(value);
  if (quote === '"') return `"${value.replace(escaped, escapeOf)}"`;
  return quote === "'" ? `'${value.replaceAll("'", "''")}'` : value;
}

function quoteFor(value: string): '' | "'" | '"' {
  if (word.test(value) && !isAmbiguous(value)) return '';
  if (invisible.test(value) || value.includes('\n') || isAmbiguous(value)) return '"';
  return syntax.test(value) ? "'" : '';
}

/** Where a text begins, and the spaces before the lines that follow. */
export type TextPosition = { readonly column: number; readonly pad: string };

const width = 80;

/**
 * A string as go-yaml v2 prints it, byte for byte: a line ends at the first space behind column 80, where the text has no
 * second space, and characters beyond U+FFFF are escaped.
 */
export function foldedText(value: string, { column, pad }: TextPosition): string {
  const quote = astral.test(value) ? '"' : quoteFor(value);
  const chars = [...value];
  const mayBreak = (at: number): boolean =>
    quote === ''
      ? chars[at + 1] !== ' '
      : at > 0 && at < chars.length - 1 && (quote === '"' || chars[at + 1] !== ' ');
  let [out, reached] = [quote as string, column + quote.length];
  for (const [at, char] of chars.entries()) {
    const isEnd = char === ' ' && reached > width && chars[at - 1] !== ' ' && mayBreak(at);
    // a line of a quoted text cannot begin with a space
    const guard = chars[at + 1] === ' ' ? '\\' : '';
    const text = isEnd ? `\n${pad}${guard}` : written(char, quote);
    reached = isEnd ? pad.length + guard.length : reached + text.length;
    out += text;
  }
  return out + quote;
}

function written(char: string, quote: string): string {
  if (quote === "'") return char === "'" ? "''" : char;
  if (quote === '') return char;
  const code = char.codePointAt(0) ?? 0;
  if (code > 0xffff) return `\\U${code.toString(16).toUpperCase().padStart(8, '0')}`;
  return char.replace(escaped, escapeOf);
}

/** A string as a key on one line: `<<` would be taken for a merge. */
export function keyTextOf(key: string, isGo = false): string {
  if (key === '<<') return '"<<"';
  return isGo ? foldedText(key, { column: Number.NEGATIVE_INFINITY, pad: '' }) : inlineText(key);
}

/** Whether a string is better written as a literal block, and safely can be. */
export const isBlock = (value: string): boolean =>
  value.includes('\n') &&
  !trailingSpaces.test(value) &&
  !openingTab.test(value) &&
  !invisibleInBlock.test(value);

/** Whether go-yaml v2 writes a string as a literal block: one without tabs and characters beyond U+FFFF. */
export const isGoBlock = (value: string): boolean =>
  isBlock(value) && !value.includes('\t') && !astral.test(value);

/** Whether the block needs an indentation indicator. */
export const needsIndentHint = (value: string): boolean => openingSpace.test(value);

/** A string as a literal block whose lines begin with `pad`, which is two spaces deeper than the parent. */
export function blockText(value: string, pad: string): string {
  const hint = needsIndentHint(value) ? '2' : '';
  const body = value.replace(/^(?=[^\n])/gm, pad);
  if (!value.endsWith('\n')) return `|${hint}-\n${body}\n`;
  return value === '\n' || value.endsWith('\n\n') ? `|${hint}+\n${body}` : `|${hint}\n${body}`;
}

const named: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};
const escaped = new RegExp(`["\\\\\\n]|${invisible.source}`, 'g');

function escapeOf(char: string): string {
  const code = char.charCodeAt(0);
  const hex = code.toString(16).toUpperCase();
  return named[char] ?? (code <= 0xff ? `\\x${hex.padStart(2, '0')}` : `\\u${hex.padStart(4, '0')}`);
}
