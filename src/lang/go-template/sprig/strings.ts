import { text } from '../format.ts';
import { fn } from '../functions.ts';
import { types } from '../go-type.ts';
import { quote } from '../quote.ts';
import { byteLength, byteSlice, compareText, rejoined, runesOf } from '../text.ts';
import { type CallContext, GoError, type GoFunction, GoList, GoMap, type Value } from '../value.ts';
import { asCount, strslice, strval } from './coerce.ts';
import {
  abbreviate,
  camelCase,
  initials,
  nospace,
  separated,
  swapCase,
  title,
  untitle,
  wrap,
} from './words.ts';

const space =
  /^[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

/** sprig's functions on strings. */
export const stringFunctions: [string, GoFunction][] = [
  [
    'abbrev',
    fn('int string', (_run, width, value) => (width < 4n ? value : abbreviate(value, 0, asCount(width)))),
  ],
  [
    'abbrevboth',
    fn('int int string', (_run, left, right, value) =>
      right < 4n || (left > 0n && right < 7n) ? value : abbreviate(value, asCount(left), asCount(right)),
    ),
  ],
  ['trunc', fn('int string', (_run, count, value) => trunc(asCount(count), value))],
  ['trim', fn('string', (_run, value) => value.replace(space, ''))],
  ['upper', fn('string', (_run, value) => upper(value))],
  ['lower', fn('string', (_run, value) => lower(value))],
  ['title', fn('string', (_run, value) => title(value))],
  ['untitle', fn('string', (_run, value) => untitle(value))],
  [
    'substr',
    fn('int int string', (_run, start, end, value) => substring(asCount(start), asCount(end), value)),
  ],
  ['repeat', fn('int string', (run, count, value) => repeat(run, count, value))],
  ['trimall', fn('string string', (_run, cut, value) => trimAll(cut, value))],
  ['trimAll', fn('string string', (_run, cut, value) => trimAll(cut, value))],
  [
    'trimSuffix',
    fn('string string', (_run, end, value) =>
      end && value.endsWith(end) ? value.slice(0, -end.length) : value,
    ),
  ],
  [
    'trimPrefix',
    fn('string string', (_run, start, value) =>
      value.startsWith(start) ? value.slice(start.length) : value,
    ),
  ],
  ['nospace', fn('string', (_run, value) => nospace(value))],
  ['initials', fn('string', (_run, value) => initials(value))],
  ['swapcase', fn('string', (_run, value) => swapCase(value))],
  ['snakecase', fn('string', (_run, value) => separated(value, '_'))],
  ['kebabcase', fn('string', (_run, value) => separated(value, '-'))],
  ['camelcase', fn('string', (_run, value) => camelCase(value))],
  [
    'wrap',
    fn('int string', (run, width, value) =>
      wrap(run, value, { width: asCount(width), newLine: '\n', longWords: false }),
    ),
  ],
  [
    'wrapWith',
    fn('int string string', (run, width, newLine, value) =>
      wrap(run, value, { width: asCount(width), newLine: newLine || '\n', longWords: true }),
    ),
  ],
  ['contains', fn('string string', (_run, part, value) => value.includes(part))],
  ['hasPrefix', fn('string string', (_run, start, value) => value.startsWith(start))],
  ['hasSuffix', fn('string string', (_run, end, value) => value.endsWith(end))],
  [
    'quote',
    fn('...any', (run, ...values) =>
      present(values)
        .map((value) => quote(strval(run, value)))
        .join(' '),
    ),
  ],
  [
    'squote',
    fn('...any', (run, ...values) =>
      present(values)
        .map((value) => `'${text(run, value)}'`)
        .join(' '),
    ),
  ],
  ['cat', fn('...any', (run, ...values) => cat(run, present(values)))],
  ['indent', fn('int string', (run, spaces, value) => indent(run, spaces, value))],
  ['nindent', fn('int string', (run, spaces, value) => `\n${indent(run, spaces, value)}`)],
  ['replace', fn('string string string', (run, old, next, value) => replace(run, { old, next }, value))],
  ['plural', fn('string string int', (_run, one, many, count) => (count === 1n ? one : many))],
  ['toString', fn('any', (run, value) => strval(run, value))],
  ['toStrings', fn('any', (run, value) => stringList(strslice(run, value)))],
  ['join', fn('string any', (run, separator, value) => join(run, separator, strslice(run, value)))],
  ['split', fn('string string', (_run, separator, value) => numbered(splitText(value, separator)))],
  [
    'splitn',
    fn('string int string', (_run, separator, count, value) =>
      numbered(splitLimited(value, separator, count)),
    ),
  ],
  ['splitList', fn('string string', (_run, separator, value) => stringList(splitText(value, separator)))],
  [
    'sortAlpha',
    fn('any', (run, value) => stringList([...strslice(run, value ?? '<nil>')].sort(compareText))),
  ],
];

export const stringList = (items: readonly string[] | null): GoList => new GoList(types.strings, items);

const present = (values: readonly Value[]): Value[] =>
  values.filter((value) => value !== null && value !== undefined);

/** compat: the format is trimmed before it is used, so nothing trails. */
const cat = (run: CallContext, values: readonly Value[]): string =>
  rejoined(values.map((value) => text(run, value)).join(' '));

/** Go maps each character alone: one that would become two, such as ß, stays. */
function mapCase(value: string, change: (char: string) => string): string {
  const whole = change(value);
  if (whole.length === value.length && !/[\u03a3\u03c3\u03c2\u0130]/.test(value)) return whole;
  return runesOf(value)
    .map((char) => (runesOf(change(char)).length === 1 ? change(char) : char === '\u0130' ? 'i' : char))
    .join('');
}

const upper = (value: string): string => mapCase(value, (char) => char.toUpperCase());
export const lower = (value: string): string => mapCase(value, (char) => char.toLowerCase());

function trunc(count: number, value: string): string {
  const length = byteLength(value);
  if (count < 0 && length + count > 0) return byteSlice(value, length + count);
  return count >= 0 && length > count ? byteSlice(value, 0, count) : value;
}

/** s[start:end] of Go, with its panics. */
function substring(start: number, end: number, value: string): string {
  const length = byteLength(value);
  const [from, to] = start < 0 ? [0, end] : end < 0 || end > length ? [start, length] : [start, end];
  if (to > length || to < 0)
    throw new GoError(
      `runtime error: slice bounds out of range [:${to}]${to < 0 ? '' : ` with length ${length}`}`,
    );
  if (from > to) throw new GoError(`runtime error: slice bounds out of range [${from}:${to}]`);
  return byteSlice(value, from, to);
}

function repeat(run: CallContext, count: bigint, value: string): string {
  if (count < 0n) throw new GoError('strings: negative Repeat count');
  if (value === '') return '';
  if (count * BigInt(byteLength(value)) > 2n ** 63n - 1n)
    throw new GoError('strings: Repeat output length overflow');
  run.alloc(Number(count) * value.length);
  return rejoined(value.repeat(Number(count)));
}

/** Removes characters of the set from both ends. */
function trimAll(cut: string, value: string): string {
  const set = new Set(runesOf(cut));
  const runes = runesOf(value);
  let [from, to] = [0, runes.length];
  while (from < to && set.has(runes[from] ?? '')) from += 1;
  while (to > from && set.has(runes[to - 1] ?? '')) to -= 1;
  return runes.slice(from, to).join('');
}

function indent(run: CallContext, spaces: bigint, value: string): string {
  if (spaces < 0n) throw new GoError('strings: negative Repeat count');
  const lines = value.split('\n');
  run.alloc(Number(spaces) * lines.length + value.length);
  const pad = ' '.repeat(Number(spaces));
  return lines.map((line) => pad + line).join('\n');
}

function replace(run: CallContext, { old, next }: { old: string; next: string }, value: string): string {
  const parts = splitText(value, old);
  if (old !== '') {
    run.alloc(value.length + parts.length * next.length);
    return rejoined(parts.join(next));
  }
  run.alloc(value.length + (parts.length + 1) * next.length);
  return rejoined(`${next}${parts.map((part) => part + next).join('')}`);
}

function join(run: CallContext, separator: string, parts: readonly string[]): string {
  run.alloc(parts.reduce((sum, part) => sum + part.length, parts.length * separator.length));
  return rejoined(parts.join(separator));
}

/** strings.Split: an empty separator gives the characters. */
const splitText = (value: string, separator: string): string[] =>
  separator === '' ? runesOf(value) : value.split(separator);

function splitLimited(value: string, separator: string, count: bigint): string[] {
  if (count === 0n) return [];
  const parts = splitText(value, separator);
  const limit = count < 0n ? parts.length : Number(count);
  return parts.length <= limit
    ? parts
    : [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

const numbered = (parts: readonly string[]): GoMap =>
  new GoMap(types.stringMap, new Map(parts.map((part, at) => [`_${at}`, part])));
