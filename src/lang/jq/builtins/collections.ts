import { compare, sortBy } from '../compare.ts';
import { iterate } from '../compile-path.ts';
import { collect, type Filter, many, pipe, single, valuesOf } from '../filter.ts';
import { plus } from '../operators.ts';
import { atValue, JqError, type Run } from '../run.ts';
import { article } from '../step.ts';
import { fieldOf, isMap, isNumber, type JsonMap, type JsonValue, put, sortedKeys } from '../value.ts';
import { listFor, type Natives, nothing, ofInput, ofOne } from './native.ts';

/** Items of a list, fields of an object in the order of their keys. */
export function itemsOf(run: Run, name: string, value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  if (isMap(value)) return sortedKeys(run, value).map((key) => value[key] ?? null);
  throw new JqError(`${name} needs an array or an object, not ${article(value)}`);
}

function keys(run: Run, value: JsonValue): JsonValue {
  if (isMap(value)) return sortedKeys(run, value);
  const list = listFor('keys', value);
  run.step(list.length);
  return list.map((_item, index) => index);
}

function toEntries(run: Run, value: JsonValue): JsonMap[] {
  const names = keys(run, value) as (string | number)[];
  run.step(names.length);
  run.take(32 * names.length);
  const values = itemsOf(run, 'to_entries', value);
  return names.map((key, index) => ({ key, value: values[index] ?? null }));
}

function fromEntries(run: Run, value: JsonValue): JsonMap {
  const map: JsonMap = {};
  for (const entry of listFor('from_entries', value)) {
    run.step();
    run.take(16);
    if (!isMap(entry)) throw new JqError(`from_entries needs objects, not ${article(entry)}`);
    put(map, keyOfEntry(entry), valueOfEntry(entry));
  }
  return map;
}

/** compat gojq: the first of these that is neither null nor false is the key, and must be a string. */
function keyOfEntry(entry: JsonMap): string {
  const found = ['key', 'Key', 'name', 'Name']
    .map((name) => fieldOf(entry, name))
    .find((key) => key !== null && key !== false);
  if (typeof found === 'string') return found;
  throw new JqError(`the key of an object is a string, not ${article(found ?? null)}`);
}

const valueOfEntry = (entry: JsonMap): JsonValue =>
  Object.hasOwn(entry, 'value') ? fieldOf(entry, 'value') : fieldOf(entry, 'Value');

function contains(run: Run, whole: JsonValue, part: JsonValue): boolean {
  run.step();
  if (typeof whole === 'string' && typeof part === 'string') {
    run.step(whole.length >> 4);
    return whole.includes(part);
  }
  if (Array.isArray(whole) && Array.isArray(part)) {
    return part.every((wanted) => whole.some((item) => containsQuietly(run, item, wanted)));
  }
  if (isMap(whole) && isMap(part)) {
    return Object.keys(part).every(
      (key) => Object.hasOwn(whole, key) && containsQuietly(run, whole[key] ?? null, part[key] ?? null),
    );
  }
  if (compare(run, whole, part) === 0) return true;
  if (isNumber(whole) && isNumber(part)) return false;
  throw new JqError(`cannot check whether ${article(whole)} contains ${article(part)}`);
}

/** compat gojq: inside lists and objects, things that cannot be compared are merely different. */
function containsQuietly(run: Run, whole: JsonValue, part: JsonValue): boolean {
  try {
    return contains(run, whole, part);
  } catch (error) {
    if (error instanceof JqError) return false;
    throw error;
  }
}

function has(value: JsonValue, key: JsonValue): boolean {
  if (value === null) return false;
  if (isMap(value) && typeof key === 'string') return Object.hasOwn(value, key);
  if (Array.isArray(value) && isNumber(key)) {
    const position = Math.trunc(Number(key));
    return position >= 0 && position < value.length;
  }
  throw new JqError(`cannot check whether ${article(value)} has ${article(key)}`);
}

function addAll(run: Run, values: readonly JsonValue[]): JsonValue {
  run.step(values.length);
  if (values.every((value) => Array.isArray(value))) {
    const size = values.reduce((total, list) => total + list.length, 0);
    run.take(8 * size);
    return values.length === 0 ? null : values.flat(1);
  }
  if (values.every((value) => typeof value === 'string')) {
    const text = values.join('');
    run.take(text.length);
    return text;
  }
  if (values.every(isMap)) return addMaps(run, values);
  return values.reduce<JsonValue>((sum, value) => plus(run, sum, value), null);
}

function addMaps(run: Run, maps: readonly JsonMap[]): JsonMap {
  const sum: JsonMap = {};
  for (const map of maps) {
    const keys = Object.keys(map);
    run.step(keys.length);
    run.take(16 * keys.length);
    for (const key of keys) put(sum, key, map[key] ?? null);
  }
  return sum;
}

function flatten(run: Run, values: readonly JsonValue[], depth: number): JsonValue[] {
  const flat: JsonValue[] = [];
  for (const value of values) {
    run.step();
    if (!Array.isArray(value) || depth === 0) {
      flat.push(value);
      continue;
    }
    for (const inner of flatten(run, value, depth - 1)) flat.push(inner);
  }
  run.take(8 * flat.length);
  return flat;
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'number') throw new JqError(`flatten needs a depth, not ${article(value)}`);
  if (value < 0) throw new JqError('flatten needs a depth that is not negative');
  return value;
}

type Keyed = { readonly value: JsonValue; readonly key: JsonValue };

/** Items with the keys a filter gives them; a filter of several results gives a key of several parts. */
const keyed = (name: string, use: (run: Run, items: Keyed[]) => JsonValue) => (args: readonly Filter[]) =>
  single((at, env, run) => {
    const list = listFor(name, at.value);
    const [filter] = args;
    run.take(24 * list.length);
    const items = list.map((value) => ({ value, key: filter ? collect(filter, value, env, run) : value }));
    return { value: use(run, items), trail: at.trail };
  });

const sort = (run: Run, items: Keyed[]): Keyed[] => sortBy(run, items, ({ key }) => key);

function groups(run: Run, items: Keyed[]): [Keyed, ...Keyed[]][] {
  const found: [Keyed, ...Keyed[]][] = [];
  for (const item of sort(run, items)) {
    const last = found.at(-1);
    if (last && compare(run, last[0].key, item.key) === 0) last.push(item);
    else found.push([item]);
  }
  return found;
}

/** The first of the least, the last of the greatest. */
function extreme(run: Run, items: readonly Keyed[], greatest: boolean): JsonValue {
  const best = items.reduce<Keyed | undefined>(
    (found, item) => (found && compare(run, found.key, item.key) > 0 !== !greatest ? found : item),
    undefined,
  );
  return best?.value ?? null;
}

function transpose(run: Run, value: JsonValue): JsonValue[][] {
  const rows = listFor('transpose', value).map((row) => listFor('transpose', row));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  run.take(8 * width * rows.length);
  run.step(width * rows.length);
  return Array.from({ length: width }, (_unused, column) => rows.map((row) => row[column] ?? null));
}

function binarySearch(run: Run, value: JsonValue, wanted: JsonValue): number {
  const list = listFor('bsearch', value);
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(run, list[middle] ?? null, wanted) < 0) low = middle + 1;
    else high = middle;
  }
  const found = low < list.length && compare(run, list[low] ?? null, wanted) === 0;
  return found ? low : -low - 1;
}

const map = (filter: Filter): Filter =>
  single((at, env, run) => {
    const list: JsonValue[] = [];
    for (const item of iterate(atValue(at.value), run)) {
      for (const result of filter.each(item, env, run)) {
        run.take(8);
        list.push(result.value);
      }
    }
    return { value: list, trail: at.trail };
  });

function* combinations(run: Run, lists: readonly JsonValue[]): Generator<JsonValue[]> {
  const [first, ...rest] = lists;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const item of itemsOf(run, 'combinations', first)) {
    for (const tail of combinations(run, rest)) {
      run.step(2 + lists.length);
      run.take(8 * lists.length);
      yield [item, ...tail];
    }
  }
}

const byRange =
  (use: (run: Run, items: Keyed[]) => JsonValue) =>
  (name: string): Natives => ({
    [`${name}/0`]: keyed(name, use),
    [`${name}_by/1`]: keyed(`${name}_by`, use),
  });

export const collectionFunctions: Natives = {
  'keys/0': ofInput(keys),
  'has/1': ofOne((_run, value, key) => has(value, key)),
  'in/1': ([whole = nothing]) =>
    many(function* (at, env, run) {
      for (const value of valuesOf(whole, at.value, env, run)) {
        yield { value: has(value, at.value), trail: at.trail };
      }
    }),
  'contains/1': ofOne(contains),
  'inside/1': ([whole = nothing]) =>
    many(function* (at, env, run) {
      for (const value of valuesOf(whole, at.value, env, run)) {
        yield { value: contains(run, value, at.value), trail: at.trail };
      }
    }),
  'map/1': ([filter = nothing]) => map(filter),
  'to_entries/0': ofInput(toEntries),
  'from_entries/0': ofInput(fromEntries),
  'with_entries/1': ([filter = nothing]) =>
    pipe(pipe(ofInput(toEntries)([]), map(filter)), ofInput(fromEntries)([])),
  'add/0': ofInput((run, value) => addAll(run, itemsOf(run, 'add', value))),
  'add/1': ([filter = nothing]) =>
    single((at, env, run) => ({ value: addAll(run, collect(filter, at.value, env, run)), trail: at.trail })),
  'reverse/0': ofInput((run, value) => {
    run.take(8 * listFor('reverse', value).length);
    return listFor('reverse', value).toReversed();
  }),
  'flatten/0': ofInput((run, value) => flatten(run, itemsOf(run, 'flatten', value), -1)),
  'flatten/1': ofOne((run, value, depth) => flatten(run, itemsOf(run, 'flatten', value), depthOf(depth))),
  ...byRange((run, items) => sort(run, items).map(({ value }) => value))('sort'),
  ...byRange((run, items) => groups(run, items).map(([first]) => first.value))('unique'),
  ...byRange((run, items) => extreme(run, items, false))('min'),
  ...byRange((run, items) => extreme(run, items, true))('max'),
  'group_by/1': keyed('group_by', (run, items) =>
    groups(run, items).map((group) => group.map(({ value }) => value)),
  ),
  'transpose/0': ofInput(transpose),
  'bsearch/1': ofOne(binarySearch),
  'combinations/0': () =>
    many(function* (at, _env, run) {
      const lists = itemsOf(run, 'combinations', at.value);
      for (const value of combinations(run, lists)) yield { value, trail: at.trail };
    }),
  'combinations/1': ([count = nothing]) =>
    many(function* (at, env, run) {
      for (const times of valuesOf(count, at.value, env, run)) {
        if (typeof times !== 'number') throw new JqError(`combinations needs a count, not ${article(times)}`);
        run.take(8 * Math.max(0, times));
        const lists = Array.from({ length: Math.max(0, Math.ceil(times)) }, () => at.value);
        for (const value of combinations(run, lists)) yield { value, trail: at.trail };
      }
    }),
};
