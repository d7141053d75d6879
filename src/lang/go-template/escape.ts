import { isPrint } from './quote.ts';
import { codeOf, isStrayByte, toBytes } from './text.ts';

const html: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export const escapeHtml = (text: string): string => text.replace(/[\0"'&<>]/g, (char) => html[char] ?? char);

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');

/** As Go escapes for JavaScript strings. */
export function escapeJs(text: string): string {
  let escaped = '';
  for (const char of text) {
    if (char === '\\' || char === "'" || char === '"') escaped += `\\${char}`;
    else if (char < ' ' || '<>&='.includes(char)) escaped += `\\u${hex(char.charCodeAt(0))}`;
    else if (char < '\x80' || (isPrint(char) && !isStrayByte(char))) escaped += char;
    else escaped += `\\u${hex(codeOf(char))}`;
  }
  return escaped;
}

/** As Go's url.QueryEscape: a space is `+`. */
export function escapeQuery(text: string): string {
  let escaped = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (char === ' ') escaped += '+';
    else if (/[A-Za-z0-9\-_.~]/.test(char)) escaped += char;
    else escaped += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
