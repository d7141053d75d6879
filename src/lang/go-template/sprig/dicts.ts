import { sortedEntries } from '../format.ts';
import { fn } from '../functions.ts';
import { types } from '../go-type.ts';
import { compareText } from '../text.ts';
import { type CallContext, GoError, type GoFunction, GoList, GoMap, typeOf, type Value } from '../value.ts';
import { isEmpty, strval } from './coerce.ts';
import { stringList } from './strings.ts';

const map = (entries: Iterable<readonly [string, Value]> = []): GoMap =>
  new GoMap(types.map, new Map(entries));
const list = (items: readonly Value[]): GoList => new GoList(types.anys, items);

/** sprig's functions on maps; set, unset and the merges change their first argument. */
export const dictFunctions: [string, GoFunction][] = [
  ['dict', fn('...any', (run, ...items) => dict(run, items))],
  ['get', fn('map string', (_run, dict, key) => (dict.entries.has(key) ? dict.entries.get(key) : ''))],
  [
    'set',
    fn('map string any', (_run, dict, key, value) => {
      if (dict.isNil) throw new GoError('assignment to entry in nil map');
      dict.entries.set(key, value);
      return dict;
    }),
  ],
  [
    'unset',
    fn('map string', (_run, dict, key) => {
      dict.entries.delete(key);
      return dict;
    }),
  ],
  ['hasKey', fn('map string', (_run, dict, key) => dict.entries.has(key))],
  [
    'pluck',
    fn('string ...map', (_run, key, ...dicts) =>
      list(dicts.filter(({ entries }) => entries.has(key)).map(({ entries }) => entries.get(key))),
    ),
  ],
  // dev sources DEV-21: Go's order is random, ours is sorted
  [
    'keys',
    fn('...map', (_run, ...dicts) =>
      stringList(dicts.flatMap(({ entries }) => [...entries.keys()].sort(compareText))),
    ),
  ],
  ['values', fn('map', (_run, dict) => list(sortedEntries(dict).map(([, value]) => value)))],
  [
    'pick',
    fn('map ...string', (_run, dict, ...keys) =>
      map(keys.filter((key) => dict.entries.has(key)).map((key) => [key, dict.entries.get(key)])),
    ),
  ],
  [
    'omit',
    fn('map ...string', (_run, dict, ...keys) =>
      map([...dict.entries].filter(([key]) => !keys.includes(key))),
    ),
  ],
  ['merge', fn('map ...map', (run, target, ...sources) => merged(run, target, sources, false))],
  ['mustMerge', fn('map ...map', (run, target, ...sources) => merged(run, target, sources, false))],
  ['mergeOverwrite', fn('map ...map', (run, target, ...sources) => merged(run, target, sources, true))],
  ['mustMergeOverwrite', fn('map ...map', (run, target, ...sources) => merged(run, target, sources, true))],
  ['deepCopy', fn('any', (run, value) => copied(run, value))],
  ['mustDeepCopy', fn('any', (run, value) => copied(run, value))],
  ['dig', fn('...any', (_run, ...path) => dig(path))],
];

function dict(run: CallContext, items: readonly Value[]): GoMap {
  const made = map();
  for (let at = 0; at < items.length; at += 2)
    made.entries.set(strval(run, items[at]), at + 1 < items.length ? items[at + 1] : '');
  return made;
}

/**
 * mergo's merge: an empty value of the target counts as unset; with overwrite every value replaces, empty ones too.
 * Two maps are merged, everything else is taken whole and shared.
 */
function merged(run: CallContext, target: GoMap, sources: readonly GoMap[], overwrite: boolean): GoMap {
  const into = target.isNil && sources.length > 0 ? map() : target;
  for (const source of sources) mergeInto(run, into, source, overwrite);
  return into;
}

function mergeInto(run: CallContext, target: GoMap, source: GoMap, overwrite: boolean): void {
  for (const [key, value] of source.entries) {
    run.step();
    const present = target.entries.get(key);
    if (value instanceof GoMap && present instanceof GoMap && present.entries.size > 0) {
      if (value !== present) mergeInto(run, present, value, overwrite);
    } else if (overwrite || (isEmpty(present) && value !== null)) target.entries.set(key, value);
  }
}

const deepest = 500;

/** compat: nil cannot be copied. */
function copied(run: CallContext, value: Value): Value {
  if (value === null) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  return deepCopy(run, value);
}

function deepCopy(run: CallContext, value: Value, depth = 0): Value {
  run.step();
  run.alloc(16);
  if (depth > deepest) throw new GoError(`value is nested deeper than ${deepest}`);
  if (value instanceof GoList)
    return new GoList(
      value.type,
      value.isNil ? null : value.items.map((item) => deepCopy(run, item, depth + 1)),
    );
  if (!(value instanceof GoMap)) return value;
  const entries = [...value.entries].map(([key, field]) => [key, deepCopy(run, field, depth + 1)] as const);
  return new GoMap(value.type, value.isNil ? null : new Map(entries));
}

function dig(path: readonly Value[]): Value {
  if (path.length < 3) throw new GoError('dig needs at least three arguments');
  let step: Value = path[path.length - 1];
  const keys = path.slice(0, -2);
  const start = asserted(step, 'map[string]interface {}');
  for (const key of keys) asserted(key, 'string');
  step = start;
  for (const key of keys) {
    const { entries } = asserted(step, 'map[string]interface {}') as GoMap;
    if (!entries.has(key as string)) return path[path.length - 2];
    step = entries.get(key as string);
  }
  return step;
}

/** A type assertion of Go's, with its panic. */
function asserted(value: Value, name: string): Value {
  const found = value === null || value === undefined ? 'nil' : typeOf(value).name;
  if (found !== name) throw new GoError(`interface conversion: interface {} is ${found}, not ${name}`);
  return value;
}
