import { compare } from './compare.ts';
import { positionOf } from './number.ts';
import { JqError, type Run } from './run.ts';
import { lengthOf, sliceText } from './text.ts';
import { fieldOf, isMap, isNumber, type JsonMap, type JsonValue, typeOf } from './value.ts';

/**
 * The value at one step of a path: a key of an object, a position, a slice, or where a list occurs in a list.
 */
export function readStep(run: Run, value: JsonValue, key: JsonValue): JsonValue {
  if (typeof key === 'string') return readField(value, key);
  if (isNumber(key)) return readPosition(run, value, positionOf(key));
  if (Array.isArray(key)) return readOccurrences(run, value, key);
  if (!isMap(key)) throw new JqError(`cannot index ${article(value)} with ${article(key)}`);
  if (value === null) return null;
  const { start, end } = sliceBounds(key);
  return readSlice(run, value, start, end);
}

function readField(value: JsonValue, key: string): JsonValue {
  if (value === null) return null;
  if (!isMap(value)) throw new JqError(`cannot read a field of ${article(value)}, it needs an object`);
  return fieldOf(value, key);
}

function readPosition(run: Run, value: JsonValue, position: number): JsonValue {
  if (value === null) return null;
  if (Array.isArray(value)) return value.at(position) ?? null;
  if (typeof value !== 'string')
    throw new JqError(`cannot read a position of ${article(value)}, it needs an array`);
  run.step(value.length >> 2);
  const length = lengthOf(value);
  const at = position < 0 ? position + length : position;
  return at >= 0 && at < length ? sliceText(value, at, at + 1) : null;
}

function readOccurrences(run: Run, value: JsonValue, list: JsonValue[]): JsonValue {
  if (value === null) return null;
  if (!Array.isArray(value)) throw new JqError(`cannot index ${article(value)} with an array`);
  return occurrences(run, value, list);
}

/** Every position where `part` begins in `list`; an empty part occurs nowhere. */
export function occurrences(run: Run, list: readonly JsonValue[], part: readonly JsonValue[]): number[] {
  const found: number[] = [];
  if (part.length === 0) return found;
  for (let at = 0; at + part.length <= list.length; at++) {
    if (part.every((item, index) => compare(run, list[at + index] ?? null, item) === 0)) found.push(at);
  }
  return found;
}

export type SliceBounds = { readonly start: JsonValue; readonly end: JsonValue };

/** The slice in a path step. */
export function sliceBounds(key: JsonMap): SliceBounds {
  if (!Object.hasOwn(key, 'start') || !Object.hasOwn(key, 'end')) {
    throw new JqError('an object used as an index needs "start" and "end"');
  }
  return { start: fieldOf(key, 'start'), end: fieldOf(key, 'end') };
}

export function readSlice(run: Run, value: JsonValue, start: JsonValue, end: JsonValue): JsonValue {
  if (value === null) return null;
  if (Array.isArray(value)) {
    const [from, to] = clampSlice(value.length, bound(start), bound(end));
    // compat gojq: a slice of everything is the thing itself, which a path can still follow
    if (to - from === value.length) return value;
    run.take(8 * (to - from));
    return value.slice(from, to);
  }
  if (typeof value !== 'string')
    throw new JqError(`cannot slice ${article(value)}, it needs an array or a string`);
  run.step(value.length >> 2);
  const [from, to] = clampSlice(lengthOf(value), bound(start), bound(end));
  return sliceText(value, from, to);
}

function bound(value: JsonValue): number | undefined {
  if (value === null) return undefined;
  if (isNumber(value)) return positionOf(value);
  throw new JqError(`a slice begins and ends at a number, not at ${article(value)}`);
}

/** Both ends within the length, the first not behind the second. */
export function clampSlice(length: number, start = 0, end = length): [from: number, to: number] {
  const from = clamp(start < 0 ? start + length : start, 0, length);
  return [from, clamp(end < 0 ? end + length : end, from, length)];
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));

/** `a string`, `an object`, `null`: for messages, which never quote a value. */
export function article(value: JsonValue): string {
  const type = typeOf(value);
  if (type === 'null') return type;
  return `${type === 'array' || type === 'object' ? 'an' : 'a'} ${type}`;
}

/** The value at a whole path. */
export function readPath(run: Run, value: JsonValue, path: JsonValue): JsonValue {
  if (!Array.isArray(path)) throw new JqError(`a path is an array, not ${article(path)}`);
  let current = value;
  for (const key of path) {
    run.step();
    if (current !== null && typeof current !== 'object') {
      throw new JqError(`cannot follow a path into ${article(current)}`);
    }
    current = readStep(run, current, key);
  }
  return current;
}
