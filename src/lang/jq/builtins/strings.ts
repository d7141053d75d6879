import { parseJson } from '#base/std';
import { formats } from '../formats.ts';
import { toJson, toText } from '../json-text.ts';
import { normalize, parseNumeral, positionOf } from '../number.ts';
import { splitText } from '../operators.ts';
import { JqError, type Run } from '../run.ts';
import { article, occurrences } from '../step.ts';
import { charactersOf, explode, implode, lengthOf } from '../text.ts';
import { isMap, isNumber, type JsonValue } from '../value.ts';
import { itemsOf } from './collections.ts';
import { listFor, type Natives, ofInput, ofOne, textFor } from './native.ts';

function length(run: Run, value: JsonValue): JsonValue {
  if (value === null) return 0;
  if (typeof value === 'string') {
    run.step(value.length >> 4);
    return lengthOf(value);
  }
  if (Array.isArray(value)) return value.length;
  if (isMap(value)) {
    const size = Object.keys(value).length;
    run.step(size >> 2);
    return size;
  }
  return magnitude('length', value);
}

export function magnitude(name: string, value: JsonValue): JsonValue {
  if (typeof value === 'number') return Math.abs(value);
  if (typeof value === 'bigint') return normalize(value < 0n ? -value : value);
  throw new JqError(`${name} is not defined for ${article(value)}`);
}

/** Where a part begins: in a text by characters, in a list by items. compat gojq: null contains nothing. */
function indices(run: Run, name: string, value: JsonValue, part: JsonValue): number[] | null {
  if (value === null) return null;
  if (Array.isArray(value)) return occurrences(run, value, Array.isArray(part) ? part : [part]);
  const text = textFor(name, value);
  const wanted = charactersOf(textFor(name, part));
  run.take(8 * text.length);
  run.step(text.length >> 1);
  return occurrences(run, charactersOf(text), wanted);
}

function join(run: Run, value: JsonValue, separator: JsonValue): string {
  const items = itemsOf(run, 'join', value);
  if (items.length === 0) return '';
  const between = items.length > 1 ? textFor('join', separator) : '';
  const text = items.map((item) => joined(run, item)).join(between);
  run.take(text.length);
  return text;
}

function joined(run: Run, item: JsonValue): string {
  run.step();
  if (item === null) return '';
  if (typeof item === 'object') throw new JqError(`join cannot hold ${article(item)}`);
  return toText(run, item);
}

function fromJson(run: Run, value: JsonValue): JsonValue {
  const text = textFor('fromjson', value);
  run.take(4 * text.length);
  run.step(text.length >> 3);
  try {
    return parseJson(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) throw new JqError('fromjson needs JSON');
    throw error;
  }
}

function toNumber(run: Run, value: JsonValue): JsonValue {
  if (isNumber(value)) return value;
  const text = textFor('tonumber', value);
  run.step(text.length >> 4);
  const number = parseNumeral(text);
  if (number === undefined) throw new JqError('tonumber needs a numeral');
  return number;
}

/** White space as Go defines it. */
const blank = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const leading = new RegExp(`^${blank}+`);
const space = new RegExp(blank);

const trimStart = (text: string): string => text.replace(leading, '');

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && space.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A function of text. */
const ofText = (name: string, compute: (text: string) => JsonValue) =>
  ofInput((run, value) => {
    const text = textFor(name, value);
    run.take(text.length);
    run.step(text.length >> 4);
    return compute(text);
  });

/** A function of two texts. */
const ofTexts = (name: string, compute: (text: string, other: string) => JsonValue) =>
  ofOne((_run, value, other) => compute(textFor(name, value), textFor(name, other)));

const trimPrefix = (text: string, prefix: string): string =>
  text.startsWith(prefix) ? text.slice(prefix.length) : text;

const trimSuffix = (text: string, suffix: string): string =>
  suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;

function format(run: Run, value: JsonValue, name: JsonValue): string {
  const found = formats.get(`@${textFor('format', name)}`);
  if (!found) throw new JqError('format needs the name of a format');
  return found(run, value);
}

export const stringFunctions: Natives = {
  'length/0': ofInput(length),
  'utf8bytelength/0': ofText('utf8bytelength', (text) => new TextEncoder().encode(text).length),
  'tostring/0': ofInput(toText),
  'tojson/0': ofInput(toJson),
  'fromjson/0': ofInput(fromJson),
  'tonumber/0': ofInput(toNumber),
  'ascii_downcase/0': ofText('ascii_downcase', (text) =>
    text.replace(/[A-Z]+/g, (found) => found.toLowerCase()),
  ),
  'ascii_upcase/0': ofText('ascii_upcase', (text) => text.replace(/[a-z]+/g, (found) => found.toUpperCase())),
  'explode/0': ofInput((run, value) => {
    const text = textFor('explode', value);
    run.take(8 * text.length);
    run.step(text.length);
    return explode(text);
  }),
  'implode/0': ofInput((run, value) => {
    const codes = listFor('implode', value);
    run.take(codes.length);
    run.step(codes.length);
    return implode(codes.map(codeFor));
  }),
  'startswith/1': ofTexts('startswith', (text, prefix) => text.startsWith(prefix)),
  'endswith/1': ofTexts('endswith', (text, suffix) => text.endsWith(suffix)),
  'ltrimstr/1': ofTexts('ltrimstr', trimPrefix),
  'rtrimstr/1': ofTexts('rtrimstr', trimSuffix),
  'trim/0': ofText('trim', (text) => trimEnd(trimStart(text))),
  'ltrim/0': ofText('ltrim', trimStart),
  'rtrim/0': ofText('rtrim', trimEnd),
  'split/1': ofOne((run, value, separator) =>
    splitText(run, textFor('split', value), textFor('split', separator)),
  ),
  'join/1': ofOne(join),
  'indices/1': ofOne((run, value, part) => indices(run, 'indices', value, part)),
  'index/1': ofOne((run, value, part) => indices(run, 'index', value, part)?.[0] ?? null),
  'rindex/1': ofOne((run, value, part) => indices(run, 'rindex', value, part)?.at(-1) ?? null),
  'format/1': ofOne(format),
};

function codeFor(value: JsonValue): number {
  if (isNumber(value)) return positionOf(value);
  throw new JqError(`implode needs code points, not ${article(value)}`);
}
