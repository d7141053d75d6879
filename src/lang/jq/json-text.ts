import type { Run } from './run.ts';
import { isMap, type JsonValue, sortedKeys } from './value.ts';

/** JSON as gojq prints it: keys in order, nan as null, infinities as the largest double. */
export function toJson(run: Run, value: JsonValue): string {
  const text = print(run, value);
  run.take(text.length);
  return text;
}

/** A string as it is, anything else as JSON. */
export const toText = (run: Run, value: JsonValue): string =>
  typeof value === 'string' ? value : toJson(run, value);

function print(run: Run, value: JsonValue): string {
  run.step();
  if (value === null) return 'null';
  if (typeof value === 'string') return printText(value);
  if (typeof value === 'number') return printNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => print(run, item)).join(',')}]`;
  if (typeof value === 'bigint') run.step(20);
  if (!isMap(value)) return String(value);
  const fields = sortedKeys(run, value).map((key) => `${printText(key)}:${print(run, value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}

function printText(text: string): string {
  // compat gojq: DEL is escaped too
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

function printNumber(value: number): string {
  if (Number.isNaN(value)) return 'null';
  return String(Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value)));
}
