import { compare, isEqual } from '../operators.ts';
import { call, force, type JsonnetValue, type Lazy, type List, type Vm } from '../value.ts';
import { absent, asFunction, asList, type JsonnetBuiltin } from './define.ts';

type Keyed = { readonly item: Lazy; readonly key: JsonnetValue };

function keyed(vm: Vm, arr: JsonnetValue, keyF: JsonnetValue): Keyed[] {
  const list = asList(arr, 'a set');
  vm.meter.step(list.length);
  if (keyF === absent) return list.map((item) => ({ item, key: force(item) }));
  const fn = asFunction(keyF, 'the key');
  return list.map((item) => ({ item, key: call(vm, fn, item) }));
}

const plain = (list: readonly Keyed[]): List => list.map(({ item }) => item);

const sorted = (vm: Vm, arr: JsonnetValue, keyF: JsonnetValue): Keyed[] =>
  keyed(vm, arr, keyF).sort((a, b) => {
    vm.meter.step();
    return compare(a.key, b.key);
  });

/** Neighbours with equal keys become one, the first. */
function unique(vm: Vm, list: readonly Keyed[]): Keyed[] {
  const kept: Keyed[] = [];
  for (const one of list) {
    const last = kept.at(-1);
    if (!last || !isEqual(vm, last.key, one.key)) kept.push(one);
  }
  return kept;
}

type Choice = { readonly left?: boolean; readonly both?: boolean; readonly right?: boolean };

/** Walks two sets, which are sorted, side by side. */
function merged(a: readonly Keyed[], b: readonly Keyed[], take: Choice): List {
  const out: Lazy[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const side = sideOf(a[i], b[j]);
    if (side === undefined) return out;
    const chosen = side === 'right' ? b[j] : a[i];
    if (take[side] && chosen) out.push(chosen.item);
    if (side !== 'right') i += 1;
    if (side !== 'left') j += 1;
  }
}

/** Which set comes next; a missing one comes last, undefined when both are missing. */
function sideOf(left: Keyed | undefined, right: Keyed | undefined): keyof Choice | undefined {
  if (!left || !right) return left ? 'left' : right && 'right';
  const order = compare(left.key, right.key);
  if (order === 0) return 'both';
  return order < 0 ? 'left' : 'right';
}

/** compat sources JSN-4: a binary search, which finds nothing reliably where the list is not sorted. */
function isMember(vm: Vm, wanted: JsonnetValue, list: readonly Keyed[]): boolean {
  let low = 0;
  let high = list.length;
  while (low < high) {
    vm.meter.step();
    const middle = (low + high) >>> 1;
    const order = compare((list[middle] as Keyed).key, wanted);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

const combining = (name: string, take: Choice): JsonnetBuiltin => [
  `${name}(a, b, keyF=)`,
  (vm, a = null, b = null, keyF = null) => merged(keyed(vm, a, keyF), keyed(vm, b, keyF), take),
];

const ordered = (name: string, holds: (order: number) => boolean): JsonnetBuiltin => [
  `${name}(arr1, arr2)`,
  (_vm, a = null, b = null) => holds(compare(asList(a, 'the first array'), asList(b, 'the second array'))),
];

export const sets: readonly JsonnetBuiltin[] = [
  ['__compare(v1, v2)', (_vm, a = null, b = null) => Math.sign(compare(a, b))],
  ['__compare_array(arr1, arr2)', (_vm, a = null, b = null) => Math.sign(compare(a, b))],
  ordered('__array_less', (order) => order < 0),
  ordered('__array_greater', (order) => order > 0),
  ordered('__array_less_or_equal', (order) => order <= 0),
  ordered('__array_greater_or_equal', (order) => order >= 0),
  ['sort(arr, keyF=)', (vm, arr = null, keyF = null) => plain(sorted(vm, arr, keyF))],
  ['uniq(arr, keyF=)', (vm, arr = null, keyF = null) => plain(unique(vm, keyed(vm, arr, keyF)))],
  ['set(arr, keyF=)', (vm, arr = null, keyF = null) => plain(unique(vm, sorted(vm, arr, keyF)))],
  [
    'setMember(x, arr, keyF=)',
    (vm, x = null, arr = null, keyF = null) =>
      isMember(vm, keyF === absent ? x : call(vm, asFunction(keyF, 'the key'), x), keyed(vm, arr, keyF)),
  ],
  combining('setUnion', { left: true, both: true, right: true }),
  combining('setInter', { both: true }),
  combining('setDiff', { left: true }),
];
