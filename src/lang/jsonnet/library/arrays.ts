import { charsOf } from '../code-points.ts';
import { JsonnetError } from '../fault.ts';
import { compare, isEqual, sliced } from '../operators.ts';
import {
  call,
  type Fn,
  force,
  isList,
  type JsonnetValue,
  type Lazy,
  type List,
  later,
  type Vm,
} from '../value.ts';
import {
  absent,
  asBoolean,
  asFunction,
  asInteger,
  asList,
  asNumber,
  asText,
  type JsonnetBuiltin,
} from './define.ts';

const list = (value: JsonnetValue): List => asList(value, 'the list');
const fn = (value: JsonnetValue): Fn => asFunction(value, 'the function');

/** An array, or the characters of a string. */
function items(value: JsonnetValue): List {
  return typeof value === 'string' ? charsOf(value) : asList(value, 'the list');
}

function makeArray(vm: Vm, size: number, item: (i: number) => JsonnetValue): JsonnetValue {
  if (size < 0) return [];
  vm.meter.step(size);
  return Array.from({ length: size }, (_, i) => later(vm, () => item(i)));
}

function flatMap(vm: Vm, func: Fn, over: JsonnetValue): JsonnetValue {
  if (typeof over === 'string') {
    const parts = charsOf(over).map((char) => asText(call(vm, func, char), 'what the function returns'));
    return parts.join('');
  }
  const all: Lazy[] = [];
  for (const item of list(over)) {
    const more = asList(call(vm, func, item), 'what the function returns');
    vm.meter.step(more.length);
    for (const one of more) all.push(one);
  }
  return all as JsonnetValue;
}

function range(vm: Vm, from: number, to: number): JsonnetValue {
  vm.meter.step(Math.max(0, to - from + 1));
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

function flattened(vm: Vm, value: JsonnetValue): Lazy[] {
  if (!isList(value)) return [value];
  vm.meter.step(value.length);
  return value.flatMap((item) => flattened(vm, force(item)));
}

function fold(
  vm: Vm,
  over: List,
  init: JsonnetValue,
  step: (running: JsonnetValue, item: Lazy) => JsonnetValue,
): JsonnetValue {
  let running = init;
  for (const item of over) running = step(running, item);
  vm.meter.step(over.length);
  return running;
}

const kept = (vm: Vm, func: Fn, over: List): List =>
  over.filter((item) => asBoolean(call(vm, func, item), 'what the function returns'));

function indexOf(vm: Vm, over: List, wanted: JsonnetValue): number {
  return over.findIndex((item) => isEqual(vm, force(item), wanted));
}

function isMember(vm: Vm, over: JsonnetValue, wanted: JsonnetValue): boolean {
  if (typeof over === 'string') return over.includes(asText(wanted, 'what is looked for'));
  return indexOf(vm, list(over), wanted) >= 0;
}

function some(vm: Vm, over: List, wanted: boolean): boolean {
  vm.meter.step(over.length);
  return over.some((item) => asBoolean(force(item), 'each item') === wanted);
}

function sum(over: List): number {
  return over.reduce((total: number, item) => total + asNumber(force(item), 'each item'), 0);
}

function avg(over: List): number {
  if (over.length === 0) throw new JsonnetError('an empty array has no average');
  return sum(over) / over.length;
}

type Extreme = { readonly over: List; readonly keyF: JsonnetValue; readonly onEmpty: JsonnetValue };

/** The first item whose key no other beats. */
function extreme(vm: Vm, { over, keyF, onEmpty }: Extreme, beats: (order: number) => boolean): JsonnetValue {
  const [first, ...rest] = over;
  if (first === undefined) {
    if (onEmpty === absent) throw new JsonnetError('an empty array has no smallest or largest item');
    return onEmpty;
  }
  const key = (item: Lazy): JsonnetValue => (keyF === absent ? force(item) : call(vm, fn(keyF), item));
  let best = first;
  let bestKey = key(first);
  for (const item of rest) {
    const itemKey = key(item);
    if (!beats(compare(itemKey, bestKey))) continue;
    best = item;
    bestKey = itemKey;
  }
  return force(best);
}

function without(over: List, at: number): JsonnetValue {
  return at < 0 ? over : [...over.slice(0, at), ...over.slice(at + 1)];
}

function removeAt(over: List, at: number): JsonnetValue {
  if (at < 0 || at >= over.length)
    throw new JsonnetError(`index ${at} is out of bounds: there are ${over.length}`);
  return without(over, at);
}

export const arrays: readonly JsonnetBuiltin[] = [
  [
    'makeArray(sz, func)',
    (vm, size = null, func = null) => {
      const make = fn(func);
      return makeArray(vm, asInteger(size, 'the size'), (i) => call(vm, make, i));
    },
  ],
  [
    'map(func, arr)',
    (vm, func = null, arr = null) => {
      const over = items(arr);
      const change = fn(func);
      return makeArray(vm, over.length, (i) => call(vm, change, over[i] as Lazy));
    },
  ],
  [
    'mapWithIndex(func, arr)',
    (vm, func = null, arr = null) => {
      const over = items(arr);
      const change = fn(func);
      return makeArray(vm, over.length, (i) => call(vm, change, i, over[i] as Lazy));
    },
  ],
  ['filter(func, arr)', (vm, func = null, arr = null) => kept(vm, fn(func), list(arr))],
  [
    'filterMap(filter_func, map_func, arr)',
    (vm, test = null, func = null, arr = null) => {
      const change = fn(func);
      const over = kept(vm, fn(test), list(arr));
      return makeArray(vm, over.length, (i) => call(vm, change, over[i] as Lazy));
    },
  ],
  ['flatMap(func, arr)', (vm, func = null, arr = null) => flatMap(vm, fn(func), arr)],
  [
    'foldl(func, arr, init)',
    (vm, func = null, arr = null, init = null) =>
      fold(vm, items(arr), init, (running, item) => call(vm, fn(func), running, item)),
  ],
  [
    'foldr(func, arr, init)',
    (vm, func = null, arr = null, init = null) =>
      fold(vm, [...items(arr)].reverse(), init, (running, item) => call(vm, fn(func), item, running)),
  ],
  [
    'range(from, to)',
    (vm, from = null, to = null) => range(vm, asInteger(from, 'the start'), asInteger(to, 'the end')),
  ],
  [
    'reverse(arr)',
    (vm, arr = null) => {
      vm.meter.step(list(arr).length);
      return [...list(arr)].reverse();
    },
  ],
  [
    'slice(indexable, index, end, step)',
    (vm, ...[target = null, from = null, to = null, step = null]) => sliced(vm, target, [from, to, step]),
  ],
  ['member(arr, x)', (vm, arr = null, x = null) => isMember(vm, arr, x)],
  ['contains(arr, elem)', (vm, arr = null, elem = null) => indexOf(vm, list(arr), elem) >= 0],
  [
    'count(arr, x)',
    (vm, arr = null, x = null) => list(arr).filter((item) => isEqual(vm, force(item), x)).length,
  ],
  [
    'find(value, arr)',
    (vm, value = null, arr = null) =>
      list(arr).flatMap((item, i) => (isEqual(vm, force(item), value) ? [i] : [])),
  ],
  ['remove(arr, elem)', (vm, arr = null, elem = null) => without(list(arr), indexOf(vm, list(arr), elem))],
  ['removeAt(arr, i)', (_vm, arr = null, i = null) => removeAt(list(arr), asInteger(i, 'the index'))],
  [
    'flattenArrays(arrs)',
    (vm, arrs = null) => {
      const parts = list(arrs).map((part) => asList(force(part), 'each item'));
      for (const part of parts) vm.meter.step(part.length);
      return parts.flat() as JsonnetValue;
    },
  ],
  ['flattenDeepArray(value)', (vm, value = null) => flattened(vm, value) as JsonnetValue],
  ['any(arr)', (vm, arr = null) => some(vm, list(arr), true)],
  ['all(arr)', (vm, arr = null) => !some(vm, list(arr), false)],
  ['sum(arr)', (_vm, arr = null) => sum(list(arr))],
  ['avg(arr)', (_vm, arr = null) => avg(list(arr))],
  [
    'minArray(arr, keyF=, onEmpty=)',
    (vm, arr = null, keyF = null, onEmpty = null) =>
      extreme(vm, { over: list(arr), keyF, onEmpty }, (order) => order < 0),
  ],
  [
    'maxArray(arr, keyF=, onEmpty=)',
    (vm, arr = null, keyF = null, onEmpty = null) =>
      extreme(vm, { over: list(arr), keyF, onEmpty }, (order) => order > 0),
  ],
];
