import { compare } from './compare.ts';
import { add, divide, modulo, multiply, subtract } from './number.ts';
import { JqError, type Run } from './run.ts';
import { article } from './step.ts';
import type { BinaryOp } from './syntax.ts';
import { fieldOf, isMap, isNumber, type JsonMap, type JsonValue, put } from './value.ts';

export type Operator = (run: Run, left: JsonValue, right: JsonValue) => JsonValue;

export const operators: Readonly<Record<BinaryOp, Operator>> = {
  '+': plus,
  '-': minus,
  '*': times,
  '/': over,
  '%': (_run, left, right) => {
    if (isNumber(left) && isNumber(right)) return modulo(left, right);
    throw mismatch('divide', left, right);
  },
  '==': (run, left, right) => compare(run, left, right) === 0,
  '!=': (run, left, right) => compare(run, left, right) !== 0,
  '<': (run, left, right) => compare(run, left, right) < 0,
  '<=': (run, left, right) => compare(run, left, right) <= 0,
  '>': (run, left, right) => compare(run, left, right) > 0,
  '>=': (run, left, right) => compare(run, left, right) >= 0,
};

const mismatch = (verb: string, left: JsonValue, right: JsonValue): JqError =>
  new JqError(`cannot ${verb} ${article(left)} and ${article(right)}`);

export function plus(run: Run, left: JsonValue, right: JsonValue): JsonValue {
  if (isNumber(left) && isNumber(right)) return add(left, right);
  if (left === null) return right;
  if (right === null) return left;
  if (typeof left === 'string' && typeof right === 'string') {
    // the longer side is not copied, only pointed at
    run.take(16 + Math.min(left.length, right.length));
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) return joinLists(run, left, right);
  if (isMap(left) && isMap(right)) return joinMaps(run, left, right);
  throw mismatch('add', left, right);
}

/** compat gojq: adding nothing gives the very same list or object, which a path can still follow. */
function joinLists(run: Run, left: JsonValue[], right: JsonValue[]): JsonValue[] {
  if (left.length === 0) return right;
  if (right.length === 0) return left;
  run.take(8 * (left.length + right.length));
  return [...left, ...right];
}

function joinMaps(run: Run, left: JsonMap, right: JsonMap): JsonMap {
  const more = Object.keys(right).length;
  if (more === 0) return left;
  const size = Object.keys(left).length;
  if (size === 0) return right;
  run.take(16 * (size + more));
  run.step((size + more) >> 2);
  return { ...left, ...right };
}

function minus(run: Run, left: JsonValue, right: JsonValue): JsonValue {
  if (isNumber(left) && isNumber(right)) return subtract(left, right);
  if (!Array.isArray(left) || !Array.isArray(right)) throw mismatch('subtract', left, right);
  return left.filter((item) => !right.some((other) => compare(run, item, other) === 0));
}

function times(run: Run, left: JsonValue, right: JsonValue): JsonValue {
  if (isNumber(left) && isNumber(right)) return multiply(left, right);
  if (isMap(left) && isMap(right)) return merge(run, left, right);
  if (typeof left === 'string' && isNumber(right)) return repeat(run, left, Number(right));
  if (typeof right === 'string' && isNumber(left)) return repeat(run, right, Number(left));
  throw mismatch('multiply', left, right);
}

const maxRepeated = 0x10000000;

/** compat gojq: a count below zero or far too large gives null; a fraction of a time is not counted. */
function repeat(run: Run, text: string, count: number): JsonValue {
  if (count < 0 || Number.isNaN(count)) return null;
  if (text === '') return '';
  if (count > Math.trunc(maxRepeated / new TextEncoder().encode(text).length)) return null;
  run.take(text.length * count);
  return text.repeat(count);
}

function merge(run: Run, left: JsonMap, right: JsonMap): JsonMap {
  const size = Object.keys(left).length + Object.keys(right).length;
  run.step(1 + size);
  run.take(16 * size);
  const merged = { ...left };
  for (const key of Object.keys(right)) {
    const ours = fieldOf(merged, key);
    const theirs = right[key] ?? null;
    put(merged, key, isMap(ours) && isMap(theirs) ? merge(run, ours, theirs) : theirs);
  }
  return merged;
}

function over(run: Run, left: JsonValue, right: JsonValue): JsonValue {
  if (isNumber(left) && isNumber(right)) return divide(left, right);
  if (typeof left !== 'string' || typeof right !== 'string') throw mismatch('divide', left, right);
  return left === '' ? [] : splitText(run, left, right);
}

/** The pieces between occurrences of a separator; an empty one separates characters. */
export function splitText(run: Run, text: string, separator: string): string[] {
  run.take(8 * text.length);
  run.step(text.length >> 2);
  return separator === '' ? Array.from(text) : text.split(separator);
}
