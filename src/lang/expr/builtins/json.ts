import { formatTime } from '#lang/go-template';
import { ExprError } from '../errors.ts';
import type { ExprRun } from '../evaluation.ts';
import {
  ExprDuration,
  ExprList,
  ExprMap,
  ExprTime,
  type ExprValue,
  entriesOf,
  isList,
  isMap,
  itemsOf,
  printed,
  typeOf,
} from '../value.ts';

const deepest = 500;
const escaped: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};
const timeLayout = '2006-01-02T15:04:05.999999999Z07:00';

/** JSON as Go's encoder indents it: keys in order, two spaces, HTML characters escaped. */
export function printJson(run: ExprRun, value: ExprValue, line = '\n', depth = 0): string {
  run.step();
  if (depth > deepest) throw new ExprError(`toJSON: a value nests deeper than ${deepest}`);
  const inner = `${line}  `;
  if (isList(value)) {
    const items = itemsOf(value, run.numbers).map((item) => printJson(run, item, inner, depth + 1));
    return items.length === 0 ? '[]' : `[${inner}${items.join(`,${inner}`)}${line}]`;
  }
  if (isMap(value)) {
    if (value instanceof ExprMap && value.hasAnyKeys)
      throw new ExprError('toJSON takes maps with keys that are strings, not those of groupBy and fromPairs');
    const pairs = entriesOf(value, run.numbers).map(
      ([key, item]) => `${jsonText(printed(key))}: ${printJson(run, item, inner, depth + 1)}`,
    );
    return pairs.length === 0 ? '{}' : `{${inner}${pairs.join(`,${inner}`)}${line}}`;
  }
  return scalar(run, value);
}

function scalar(run: ExprRun, value: ExprValue): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (value instanceof ExprDuration) return String(value.nanoseconds);
  if (value instanceof ExprTime) return jsonText(formatTime(value.at, timeLayout));
  if (typeof value !== 'string') throw new ExprError(`toJSON takes data, not ${typeOf(value)}`);
  run.allocate(value.length);
  return jsonText(value);
}

const jsonText = (text: string): string =>
  JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (char) => escaped[char] ?? char);

/** Every number is a float, as Go reads JSON without a type to read it into. */
export function parseJson(run: ExprRun, text: string): ExprValue {
  run.allocate(text.length);
  run.step(1 + Math.floor(text.length / 16));
  try {
    return madeOf(JSON.parse(text));
  } catch {
    throw new ExprError('fromJSON: the text is not JSON');
  }
}

function madeOf(data: unknown): ExprValue {
  if (Array.isArray(data)) return new ExprList(data.map(madeOf));
  if (typeof data !== 'object' || data === null) return data as ExprValue;
  return new ExprMap(new Map(Object.entries(data).map(([key, item]) => [key, madeOf(item)])));
}
