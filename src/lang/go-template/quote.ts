import { codeOf, isStrayByte } from './text.ts';

const printed = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const plain = /^[ !#-[\]-~]*$/;
const letters: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};

/** Whether Go prints the character as it is. */
export const isPrint = (char: string): boolean => printed.test(char);

/** The text as a Go literal in double quotes; in ASCII only on request. */
export function quote(text: string, toAscii = false): string {
  if (plain.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const char of text) quoted += escaped(char, '"', toAscii);
  return `${quoted}"`;
}

/** The character with this code as a Go literal in single quotes. */
export function quoteRune(code: number, toAscii = false): string {
  const valid = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && code >= 0;
  return `'${escaped(String.fromCodePoint(valid ? code : 0xfffd), "'", toAscii)}'`;
}

function escaped(char: string, around: string, toAscii: boolean): string {
  if (char === around) return `\\${char}`;
  const letter = letters[char];
  if (letter) return letter;
  const code = char.codePointAt(0) ?? 0;
  if (isStrayByte(char)) return `\\x${hex(code - 0xdc00, 2)}`;
  if (toAscii ? code >= 0x20 && code < 0x7f : isPrint(char)) return char;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');

/** Whether the text can stand between backquotes: one line, no backquote, nothing that cannot be seen but a tab. */
export function canBackquote(text: string): boolean {
  for (const char of text) {
    const code = codeOf(char);
    if (isStrayByte(char) || code === 0xfeff || code === 0x60 || code === 0x7f) return false;
    if (code < 0x20 && code !== 9) return false;
  }
  return true;
}
