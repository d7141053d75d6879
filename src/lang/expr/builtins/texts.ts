import { fromBase64, toBase64 } from '#base/std';
import { byteLength } from '#lang/go-template';
import { ExprError } from '../errors.ts';
import type { ExprRun } from '../evaluation.ts';
import { toInt } from '../operators.ts';
import { ExprList, type ExprValue, printed } from '../value.ts';
import { listArg, textArg } from './arguments.ts';
import type { Builtin } from './builtin.ts';
import { parseJson, printJson } from './json.ts';

/** A function of one text. */
const ofText = (name: string, call: (text: string) => ExprValue): [string, Builtin] => [
  name,
  { arity: [1], call: (_run, text) => call(textArg(name, text)) },
];
/** A function of a text and a part of it; left out, the part is a space. */
const ofPart = (
  name: string,
  least: 1 | 2,
  call: (text: string, part: string) => ExprValue,
): [string, Builtin] => [
  name,
  { arity: [least, 2], call: (_run, text, part = ' ') => call(textArg(name, text), textArg(name, part)) },
];

/** Go maps one rune to one rune: ß has no capital. */
const eachRune = (text: string, map: (rune: string) => string): string =>
  Array.from(text, (rune) => {
    const mapped = map(rune);
    return Array.from(mapped).length === 1 ? mapped : rune;
  }).join('');

/** Go counts bytes. */
const byteIndex = (text: string, index: number): bigint =>
  BigInt(index < 0 ? -1 : byteLength(text.slice(0, index)));

/** strings.Trim: any of the characters at both ends. */
function trim(text: string, characters: string): string {
  const cut = new Set(characters);
  const runes = Array.from(text);
  const start = runes.findIndex((rune) => !cut.has(rune));
  const end = runes.findLastIndex((rune) => !cut.has(rune));
  return start < 0 ? '' : runes.slice(start, end + 1).join('');
}

/** Go's space: Unicode's White_Space, of which JavaScript's trim takes U+FEFF more and U+0085 less. */
const space = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const spaceAround = new RegExp(`^${space}|${space}$`, 'g');

/** strings.SplitN and SplitAfterN: at most that many pieces; zero is none, below zero all. */
function split(run: ExprRun, [text, by, most, isAfter]: [string, string, bigint, boolean]): ExprList | null {
  if (most === 0n) return new ExprList([]);
  const pieces = by === '' ? Array.from(text) : text.split(by);
  run.allocate(text.length + pieces.length);
  const limit = most < 0n || most > BigInt(pieces.length) ? pieces.length : Number(most);
  const rest = pieces.slice(Math.max(limit - 1, 0)).join(by);
  const kept = [...pieces.slice(0, Math.max(limit - 1, 0)), ...(pieces.length > 0 ? [rest] : [])];
  return new ExprList(
    isAfter ? kept.map((piece, index) => (index < kept.length - 1 ? piece + by : piece)) : kept,
  );
}

const splitter = (name: string, isAfter: boolean): [string, Builtin] => [
  name,
  {
    arity: [2, 3],
    call: (run, text, by, most = -1n) =>
      split(run, [textArg(name, text), textArg(name, by), toInt(most), isAfter]),
  },
];

function replace(run: ExprRun, text: string, [from, to, most]: [string, string, bigint]): string {
  const pieces = from === '' ? ['', ...Array.from(text), ''] : text.split(from);
  const count = most < 0n || most >= BigInt(pieces.length) ? pieces.length - 1 : Number(most);
  run.allocate(text.length + count * to.length);
  const head = pieces.slice(0, count + 1).join(to);
  const tail = pieces.slice(count + 1).join(from);
  return count === pieces.length - 1 ? head : head + from + tail;
}

function repeat(run: ExprRun, text: string, count: bigint): string {
  if (count < 0n) throw new ExprError('repeat takes a positive number');
  if (count > 1_000_000n) throw new ExprError('repeat takes a million at most');
  run.allocate(text.length * Number(count));
  return text.repeat(Number(count));
}

export const textFunctions: Readonly<Record<string, Builtin>> = Object.fromEntries<Builtin>([
  ['string', { arity: [1], call: (run, value = null) => printed(value, run.numbers) }],
  [
    'trim',
    {
      arity: [1, 2],
      call: (_run, text, cut) => {
        const given = textArg('trim', text);
        return cut === undefined ? given.replace(spaceAround, '') : trim(given, textArg('trim', cut));
      },
    },
  ],
  ofPart('trimPrefix', 1, (text, part) => (text.startsWith(part) ? text.slice(part.length) : text)),
  ofPart('trimSuffix', 1, (text, part) =>
    text.endsWith(part) ? text.slice(0, text.length - part.length) : text,
  ),
  ofText('upper', (text) => eachRune(text, (rune) => rune.toUpperCase())),
  ofText('lower', (text) => eachRune(text, (rune) => rune.toLowerCase())),
  splitter('split', false),
  splitter('splitAfter', true),
  [
    'replace',
    {
      arity: [3, 4],
      call: (run, ...args) => {
        const [text = '', from = '', to = ''] = args.slice(0, 3).map((arg) => textArg('replace', arg));
        return replace(run, text, [from, to, args[3] === undefined ? -1n : toInt(args[3])]);
      },
    },
  ],
  [
    'repeat',
    { arity: [2], call: (run, text, count = null) => repeat(run, textArg('repeat', text), toInt(count)) },
  ],
  [
    'join',
    {
      arity: [1, 2],
      call: (run, list, glue = '') => {
        const texts = listArg(run, 'join', list).map((item) => textArg('join', item));
        const between = textArg('join', glue);
        run.allocate(texts.reduce((size, text) => size + text.length + between.length, 0));
        return texts.join(between);
      },
    },
  ],
  ofPart('indexOf', 2, (text, part) => byteIndex(text, text.indexOf(part))),
  ofPart('lastIndexOf', 2, (text, part) => byteIndex(text, text.lastIndexOf(part))),
  ofPart('hasPrefix', 2, (text, part) => text.startsWith(part)),
  ofPart('hasSuffix', 2, (text, part) => text.endsWith(part)),
  ofText('toBase64', (text) => toBase64(new TextEncoder().encode(text))),
  ofText('fromBase64', (text) => {
    const clean = text.replace(/[\r\n]/g, '');
    const bytes = clean.length % 4 === 0 ? fromBase64(clean) : undefined;
    if (!bytes) throw new ExprError('fromBase64: the text is not base64');
    return new TextDecoder().decode(bytes);
  }),
  ['toJSON', { arity: [1], call: (run, value = null) => printJson(run, value) }],
  ['fromJSON', { arity: [1], call: (run, text) => parseJson(run, textArg('fromJSON', text)) }],
]);
