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

const trailingSpaces = / (?:\n|$)/;
const openingSpace = /^[ \n]/;
const openingTab = /^\n*\t/;

/** A string on one line. */
export function inlineText(value: string): string {
  if (word.test(value) && !isAmbiguous(value)) return value;
  if (invisible.test(value) || value.includes('\n') || isAmbiguous(value)) return doubleQuoted(value);
  return syntax.test(value) ? `'${value.replaceAll("'", "''")}'` : value;
}

/** A string as a key: `<<` would be taken for a merge. */
export const keyTextOf = (key: string): string => (key === '<<' ? '"<<"' : inlineText(key));

/** Whether a string is better written as a literal block, and safely can be. */
export const isBlock = (value: string): boolean =>
  value.includes('\n') &&
  !trailingSpaces.test(value) &&
  !openingTab.test(value) &&
  !invisibleInBlock.test(value);

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

const doubleQuoted = (value: string): string => `"${value.replace(escaped, escapeOf)}"`;
