import { FairleadError } from '#base/std';
import { compileRegex } from '#lang/regex';
import type { Charge, Rows } from '../function-table.ts';
import { CostExceeded, codePoints, matching, sizeOf, traversal } from '../meter.ts';
import { CelError, type CelValue, ListValue } from '../value.ts';
import { format } from './format.ts';

const outOfRange = (at: bigint | number): CelError => new CelError(`index out of range: ${at}`);
const chars = (text: string): string[] => [...text];

function charAt(text: string, at: bigint): CelValue {
  const all = chars(text);
  if (at < 0n || at > BigInt(all.length)) return outOfRange(at);
  return all[Number(at)] ?? '';
}

const position = (text: string, unit: number): bigint =>
  unit < 0 ? -1n : BigInt(codePoints(text.slice(0, unit)));

/** The offset in UTF-16 units of a position in characters. */
const unitsAt = (text: string, at: bigint): number => chars(text).slice(0, Number(at)).join('').length;

function indexOf(text: string, part: string, from: bigint): CelValue {
  if (from < 0n) return outOfRange(from);
  if (part === '') return from >= BigInt(codePoints(text)) && from !== 0n && text !== '' ? -1n : from;
  if (from >= BigInt(codePoints(text))) return -1n;
  return position(text, text.indexOf(part, unitsAt(text, from)));
}

/** A position after the end of every text. */
const wholeText = 2n ** 40n;

function lastIndexOf(text: string, part: string, from: bigint): CelValue {
  if (from < 0n) return outOfRange(from);
  const size = BigInt(codePoints(text));
  if (part === '') return from < size ? from : size;
  if (size < BigInt(codePoints(part)) || (from >= size && from !== wholeText)) return -1n;
  return position(text, text.lastIndexOf(part, unitsAt(text, from)));
}

function substring(text: string, start: bigint, end: bigint): CelValue {
  const all = chars(text);
  const size = BigInt(all.length);
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > size) return outOfRange(start);
  if (end < 0n || end > size) return outOfRange(end);
  return all.slice(Number(start), Number(end)).join('');
}

/** The maximal length of a constructed text: more than any cost limit allows, and far less than would hurt. */
const longest = 64 * 1024 * 1024;

function replace(text: string, from: string, to: string, limit = -1n): CelValue {
  if (limit === 0n) return text;
  const pieces = from === '' ? chars(text) : text.split(from);
  const times = limit < 0n ? pieces.length + 1 : Math.min(Number(limit), pieces.length + 1);
  // the cost is known only after the text is constructed, and this one is too long to construct
  if (text.length + times * to.length > longest) throw new CostExceeded();
  if (from === '') return replaceEmpty(pieces, to, limit);
  if (limit < 0n || pieces.length <= Number(limit)) return pieces.join(to);
  const cut = Number(limit) + 1;
  return [...pieces.slice(0, cut - 1), pieces.slice(cut - 1).join(from)].join(to);
}

/** An empty text matches before every character and at the end. */
function replaceEmpty(all: readonly string[], to: string, limit: bigint): string {
  const times = limit < 0n ? all.length + 1 : Math.min(Number(limit), all.length + 1);
  const before = all.map((char, index) => (index < times ? to + char : char)).join('');
  return times > all.length ? before + to : before;
}

function split(text: string, by: string, limit = -1n): CelValue {
  if (limit === 0n) return new ListValue([]);
  if (limit === 1n) return new ListValue([text]);
  const pieces = by === '' ? chars(text) : text.split(by);
  if (limit < 0n || pieces.length <= Number(limit)) return new ListValue(pieces);
  const cut = Number(limit) - 1;
  return new ListValue([...pieces.slice(0, cut), pieces.slice(cut).join(by)]);
}

function join(list: ListValue, by = ''): CelValue {
  if (list.items.length * by.length > longest) throw new CostExceeded();
  const wrong = list.items.find((item) => typeof item !== 'string');
  if (wrong !== undefined) return new CelError('no such overload');
  return list.items.join(by);
}

const spaces = /^[\s\u0085]+|[\s\u0085]+$/g;

const quotes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

const ascii = (text: string, pattern: RegExp, change: (char: string) => string): string =>
  text.replaceAll(pattern, change);

/** Go's message for an invalid pattern. */
function regexProblem({ message }: FairleadError): string {
  const found = /": (.*?)(?: at (".*"))?$/s.exec(message);
  const piece = found?.[2] === undefined ? '' : `: \`${JSON.parse(found[2])}\``;
  return `error parsing regexp: ${found?.[1] ?? message}${piece}`;
}

/** compat: the result for a pattern that RE2 cannot run; the error occurs when the rule runs. */
function tryRegex(
  pattern: string,
  run: (regex: ReturnType<typeof compileRegex>) => CelValue,
  prefix = '',
): CelValue {
  try {
    return run(compileRegex(pattern));
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return new CelError(`${prefix}${regexProblem(error)}`);
  }
}

const matches = (text: string, pattern: string): CelValue => tryRegex(pattern, (regex) => regex.test(text));

const find = (text: string, pattern: string): CelValue =>
  tryRegex(pattern, (regex) => regex.exec(text)?.text ?? '', 'Illegal regex: ');

const findAll = (text: string, pattern: string, limit = -1n): CelValue =>
  tryRegex(
    pattern,
    (regex) => {
      const found: string[] = [];
      for (const match of regex.matches(text)) {
        if (limit >= 0n && BigInt(found.length) >= limit) break;
        found.push(match.text);
      }
      return new ListValue(found);
    },
    'Illegal regex: ',
  );

/** Text: the standard functions, the string extension, and Kubernetes' regular expressions. */
export const stringRows: Rows = {
  contains: [['string.(string) -> bool', (text: string, part: string) => text.includes(part)]],
  startsWith: [['string.(string) -> bool', (text: string, part: string) => text.startsWith(part)]],
  endsWith: [['string.(string) -> bool', (text: string, part: string) => text.endsWith(part)]],
  matches: [
    ['(string, string) -> bool', matches],
    ['string.(string) -> bool', matches],
  ],
  find: [['string.(string) -> string', find]],
  findAll: [
    ['string.(string) -> list(string)', (text: string, pattern: string) => findAll(text, pattern)],
    ['string.(string, int) -> list(string)', findAll],
  ],
  charAt: [['string.(int) -> string', charAt]],
  indexOf: [
    ['string.(string) -> int', (text: string, part: string) => indexOf(text, part, 0n)],
    ['string.(string, int) -> int', indexOf],
  ],
  lastIndexOf: [
    ['string.(string) -> int', (text: string, part: string) => lastIndexOf(text, part, wholeText)],
    ['string.(string, int) -> int', lastIndexOf],
  ],
  substring: [
    ['string.(int) -> string', (text: string, from: bigint) => tail(text, from)],
    ['string.(int, int) -> string', substring],
  ],
  replace: [
    [
      'string.(string, string) -> string',
      (text: string, from: string, to: string) => replace(text, from, to),
    ],
    ['string.(string, string, int) -> string', replace],
  ],
  split: [
    ['string.(string) -> list(string)', (text: string, by: string) => split(text, by)],
    ['string.(string, int) -> list(string)', split],
  ],
  join: [
    ['list(string).() -> string', (list: ListValue) => join(list)],
    ['list(string).(string) -> string', join],
  ],
  trim: [['string.() -> string', (text: string) => text.replaceAll(spaces, '')]],
  lowerAscii: [
    ['string.() -> string', (text: string) => ascii(text, /[A-Z]+/g, (char) => char.toLowerCase())],
  ],
  upperAscii: [
    ['string.() -> string', (text: string) => ascii(text, /[a-z]+/g, (char) => char.toUpperCase())],
  ],
  'strings.quote': [
    ['(string) -> string', (text: string) => `"${[...text].map((char) => quotes[char] ?? char).join('')}"`],
  ],
  format: [['string.(list(dyn)) -> string', (text: string, args: ListValue) => format(text, args.items)]],
};

function tail(text: string, from: bigint): CelValue {
  const size = BigInt(codePoints(text));
  return from < 0n || from > size ? outOfRange(from) : substring(text, from, size);
}

const regexCharge: Charge = ([text, pattern]) => matching(sizeOf(text), sizeOf(pattern));
const once: Charge = ([text]) => traversal(text);
const twice: Charge = ([text]) => traversal(text, 2);

export const stringCharges: Readonly<Record<string, Charge>> = {
  contains: ([text, part]) => traversal(text) * traversal(part),
  startsWith: once,
  endsWith: once,
  matches: regexCharge,
  find: regexCharge,
  findAll: regexCharge,
  lowerAscii: once,
  upperAscii: once,
  substring: once,
  trim: once,
  replace: twice,
  split: twice,
  join: (_args, result) => traversal(result, 2),
  'strings.quote': once,
  format: once,
};
