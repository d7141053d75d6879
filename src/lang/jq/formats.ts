import { decodeBase64, encodeBase64 } from './base64.ts';
import { toJson, toText } from './json-text.ts';
import { JqError, type Run } from './run.ts';
import { article } from './step.ts';
import type { JsonValue } from './value.ts';

type Format = (run: Run, value: JsonValue) => string;

const html: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&apos;',
  '"': '&quot;',
};

const tabs: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\r': '\\r',
  '\n': '\\n',
  '\\': '\\\\',
  '\0': '\\0',
};

/** `@name` by name; each makes text of any value it accepts. */
export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['@text', toText],
  ['@json', toJson],
  [
    '@html',
    (run, value) => charged(run, toText(run, value)).replace(/[<>&'"]/g, (found) => html[found] ?? found),
  ],
  ['@uri', (run, value) => encodeUri(charged(run, toText(run, value)))],
  ['@urid', (run, value) => decodeUri(charged(run, toText(run, value)))],
  ['@csv', (run, value) => row(run, '@csv', value, { between: ',', quote: quoteCsv, nothing: '' })],
  ['@tsv', (run, value) => row(run, '@tsv', value, { between: '\t', quote: quoteTsv, nothing: '' })],
  ['@sh', (run, value) => shell(run, value)],
  ['@base64', (run, value) => encodeBase64(charged(run, toText(run, value)))],
  ['@base64d', (run, value) => fromBase64(charged(run, toText(run, value)))],
]);

function charged(run: Run, text: string): string {
  run.take(4 * text.length);
  run.step(text.length >> 1);
  return text;
}

/** compat gojq: letters, digits, `-`, `_`, `.` and `~` stay, every other byte is spelled out. */
const encodeUri = (text: string): string =>
  text.replace(/[^\w.~-]+/g, (found) =>
    Array.from(
      new TextEncoder().encode(found),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  );

function decodeUri(text: string): string {
  if (/%(?![\da-fA-F]{2})/.test(text)) throw new JqError('@urid needs two digits behind each "%"');
  const bytes: number[] = [];
  for (const piece of text.split(/(%[\da-fA-F]{2})/)) {
    if (piece.startsWith('%')) bytes.push(Number.parseInt(piece.slice(1), 16));
    else for (const byte of new TextEncoder().encode(piece)) bytes.push(byte);
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes));
}

function fromBase64(text: string): string {
  const decoded = decodeBase64(text);
  if (decoded === undefined) throw new JqError('@base64d needs base64');
  return decoded;
}

const quoteCsv = (text: string): string => `"${text.replaceAll('"', '""').replaceAll('\0', '\\0')}"`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a zero byte is among what is escaped
const quoteTsv = (text: string): string => text.replace(/[\t\r\n\\\u0000]/g, (found) => tabs[found] ?? found);
const quoteShell = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll('\0', '\\0')}'`;

const shell = (run: Run, value: JsonValue): string =>
  row(run, '@sh', Array.isArray(value) ? value : [value], {
    between: ' ',
    quote: quoteShell,
    nothing: 'null',
  });

type Style = { readonly between: string; readonly nothing: string; quote(text: string): string };

function row(run: Run, name: string, value: JsonValue, { between, quote, nothing }: Style): string {
  if (!Array.isArray(value)) throw new JqError(`${name} needs an array, not ${article(value)}`);
  const cells = value.map((cell) => {
    if (typeof cell === 'string') return quote(charged(run, cell));
    if (cell !== null && typeof cell === 'object') throw new JqError(`${name} cannot hold ${article(cell)}`);
    const text = toJson(run, cell);
    return text === 'null' ? nothing : text;
  });
  return cells.join(between);
}
