import { byteLength, byteSlice } from '#lang/go-template';
import { ExprError } from './errors.ts';
import type { ExprRun } from './evaluation.ts';
import { methodOf } from './methods.ts';
import { equal, toInt } from './operators.ts';
import {
  ExprDuration,
  ExprList,
  ExprMap,
  ExprTime,
  type ExprValue,
  isList,
  isMap,
  itemsOf,
  printed,
  readHost,
  typeOf,
} from './value.ts';

const cannotFetch = (key: ExprValue, from: ExprValue): ExprError =>
  new ExprError(`there is no ${printed(key)} in ${typeOf(from)}`);

/** `from.key` and `from[key]`. A key that a map does not have is nil; anything else that is absent fails. */
export function fetch(run: ExprRun, from: ExprValue, key: ExprValue): ExprValue {
  if (from === null && run.isNilSafe) return null;
  const found = find(run, from, key);
  if (found !== undefined) return found;
  if (isList(from) || typeof from === 'string')
    throw new ExprError(`index ${printed(key)} is out of range: the length is ${sizeOf(from)}`);
  throw cannotFetch(key, from);
}

/** The same; undefined where `fetch` fails because there is no such element. */
export function find(run: ExprRun, from: ExprValue, key: ExprValue): ExprValue | undefined {
  run.step();
  if (from === null) return undefined;
  if (isMap(from)) return entryOf(run, from, key) ?? null;
  if (isList(from) || typeof from === 'string') return elementOf(run, from, toInt(key));
  const isTimed = from instanceof ExprTime || from instanceof ExprDuration;
  return isTimed && typeof key === 'string' ? methodOf(from, key) : undefined;
}

/** A negative index counts from the end. */
function elementOf(run: ExprRun, from: ListValue | string, index: bigint): ExprValue | undefined {
  const at = Number(index < 0n ? BigInt(sizeOf(from)) + index : index);
  if (typeof from === 'string') return byteAt(from, at);
  if (from instanceof ExprList) return from.items[at];
  return at in from ? readHost(from[at], run.numbers) : undefined;
}

/** A byte of the text, as a number. */
function byteAt(text: string, at: number): ExprValue | undefined {
  if (at < 0 || at >= byteLength(text)) return undefined;
  return BigInt(new TextEncoder().encode(text)[at] ?? 0);
}

type ListValue = Parameters<typeof itemsOf>[0];

const sizeOf = (from: ListValue | string): number =>
  typeof from === 'string' ? byteLength(from) : from instanceof ExprList ? from.items.length : from.length;

type MapValue = ExprMap | { readonly [key: string]: unknown };

/** Undefined when the map has no such key. Only own keys are keys. */
function entryOf(run: ExprRun, map: MapValue, key: ExprValue): ExprValue | undefined {
  if (map instanceof ExprMap) {
    const same = map.entries.get(key ?? '');
    return same ?? [...map.entries].find(([other]) => equal(run, other, key))?.[1];
  }
  if (key !== null && typeof key !== 'string') throw cannotFetch(key, map);
  return Object.hasOwn(map, key ?? '') ? readHost(map[key ?? ''], run.numbers) : undefined;
}

/** A part of a list or a text (by bytes); bounds beyond it are its ends, negative ones count from the end. */
export function slice(
  run: ExprRun,
  of: ExprValue,
  from: ExprValue | undefined,
  to: ExprValue | undefined,
): ExprValue {
  if (!isList(of) && typeof of !== 'string') throw new ExprError(`${typeOf(of)} has no slices`);
  const size = BigInt(sizeOf(of));
  const bound = (value: ExprValue | undefined, fallback: bigint): number => {
    const requested = value === undefined ? fallback : toInt(value);
    const positive = requested < 0n ? size + requested : requested;
    return Math.max(0, Math.min(Number(positive), Number(size)));
  };
  const end = bound(to, size);
  const start = Math.min(bound(from, 0n), end);
  run.allocate(end - start);
  if (typeof of === 'string') return byteSlice(of, start, end);
  return new ExprList(itemsOf(of, run.numbers).slice(start, end));
}

/** `needle in container`: an element of a list, a key of a map. Nothing is in nil. */
export function isIn(run: ExprRun, needle: ExprValue, container: ExprValue): boolean {
  if (container === null) return false;
  if (isList(container)) {
    return itemsOf(container, run.numbers).some((item) => equal(run, item, needle));
  }
  if (!isMap(container)) throw new ExprError(`in is not defined for ${typeOf(container)}`);
  if (container instanceof ExprMap) return entryOf(run, container, needle) !== undefined;
  if (needle !== null && typeof needle !== 'string') throw cannotFetch(needle, container);
  return Object.hasOwn(container, needle ?? '');
}
