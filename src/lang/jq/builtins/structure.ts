import { compare } from '../compare.ts';
import { collectPaths, constantIndex, iterate, modify, pathFunctions, pathsOf } from '../compile-path.ts';
import { JqEdit } from '../edit.ts';
import {
  apply,
  collect,
  constant,
  type Filter,
  type JqBindings,
  many,
  pipe,
  single,
  valuesOf,
} from '../filter.ts';
import { toText } from '../json-text.ts';
import { Halt, JqError, type Run } from '../run.ts';
import { article, readPath, readStep } from '../step.ts';
import { isMap, type JqTypeName, type JsonMap, type JsonValue, put, sortedKeys, typeOf } from '../value.ts';
import { listFor, type Natives, nothing, ofInput, ofOne } from './native.ts';
import { recurseAll, select } from './streams.ts';

const items = many((at, _env, run) => iterate(at, run));

/** Keeps values of certain types, as `strings` and its siblings do. */
const ofTypes = (...types: JqTypeName[]) => {
  const test = ofInput((_run, value) => types.includes(typeOf(value)))([]);
  return () => select(test);
};

const input = single((at) => at);

/** Every value is rebuilt from what its parts became, innermost first. */
function* walk(filter: Filter, value: JsonValue, env: JqBindings, run: Run): Generator<JsonValue> {
  run.step(4);
  yield* valuesOf(filter, rebuilt(filter, value, env, run), env, run);
}

function rebuilt(filter: Filter, value: JsonValue, env: JqBindings, run: Run): JsonValue {
  if (Array.isArray(value)) {
    run.take(8 * value.length);
    return value.flatMap((item) => [...walk(filter, item, env, run)]);
  }
  if (!isMap(value)) return value;
  const map: JsonMap = {};
  run.take(16 * Object.keys(value).length);
  for (const key of sortedKeys(run, value)) {
    for (const field of walk(filter, value[key] ?? null, env, run)) {
      put(map, key, field);
      break;
    }
  }
  return map;
}

function pick(filter: Filter, value: JsonValue, env: JqBindings, run: Run): JsonValue {
  const edit = new JqEdit(run, null);
  for (const path of pathsOf(filter, value, env, run)) edit.set(path, readPath(run, value, path));
  return edit.value;
}

/** Paths with the leaves they lead to, and a closing path behind the last of each collection. */
function* toStream(run: Run, value: JsonValue, path: readonly JsonValue[]): Generator<JsonValue[]> {
  run.step();
  run.take(8 * path.length);
  const keys = isMap(value) ? sortedKeys(run, value) : Array.isArray(value) ? [...value.keys()] : [];
  if (keys.length === 0) {
    yield [[...path], value];
    return;
  }
  for (const key of keys) yield* toStream(run, readStep(run, value, key), [...path, key]);
  if (path.length > 0 || keys.length > 0) yield [[...path, keys.at(-1) ?? null]];
}

function* fromStream(run: Run, events: Iterable<JsonValue>): Generator<JsonValue> {
  let edit = new JqEdit(run, null);
  for (const event of events) {
    const [path = null, ...leaf] = listFor('fromstream', event);
    const depth = listFor('fromstream', path).length;
    const [value] = leaf;
    if (value !== undefined) edit.set(path, value);
    if (depth !== (value === undefined ? 1 : 0)) continue;
    yield edit.value;
    edit = new JqEdit(run, null);
  }
}

/** `depth | truncate_stream(f)`: events of f without the first steps of their paths. */
const truncateStream = (source: Filter): Filter =>
  many(function* (at, env, run) {
    for (const event of valuesOf(source, null, env, run)) {
      const [path = null, ...leaf] = listFor('truncate_stream', event);
      const steps = listFor('truncate_stream', path);
      if (typeof at.value !== 'number')
        throw new JqError(`truncate_stream needs a depth, not ${article(at.value)}`);
      if (steps.length > at.value) yield { value: [steps.slice(at.value), ...leaf], trail: at.trail };
    }
  });

/** Rows by the text of their keys. */
function indexRows(
  rows: Filter,
  key: Filter,
  value: JsonValue,
  { env, run }: { env: JqBindings; run: Run },
): JsonMap {
  const index: JsonMap = {};
  for (const row of valuesOf(rows, value, env, run)) {
    run.step();
    run.take(16);
    for (const name of valuesOf(key, row, env, run)) put(index, toText(run, name), row);
  }
  return index;
}

const indexBy = (rows: Filter, key: Filter): Filter =>
  single((at, env, run) => ({ value: indexRows(rows, key, at.value, { env, run }), trail: at.trail }));

/** Each row of a stream beside the row of the index with the same key. */
const joinRows = (index: Filter, rows: Filter, key: Filter): Filter =>
  many(function* (at, env, run) {
    for (const table of valuesOf(index, at.value, env, run)) {
      for (const row of valuesOf(rows, at.value, env, run)) {
        for (const name of valuesOf(key, row, env, run)) {
          yield { value: [row, readStep(run, table, name)], trail: at.trail };
        }
      }
    }
  });

/** Whether any result of one filter equals any of another. */
const meets = (some: Filter, others: Filter): Filter =>
  single((at, env, run) => {
    const wanted = collect(others, at.value, env, run);
    for (const value of valuesOf(some, at.value, env, run)) {
      if (wanted.some((other) => compare(run, value, other) === 0)) return { value: true, trail: at.trail };
    }
    return { value: false, trail: at.trail };
  });

const notRoot = select(ofInput((_run, path) => Array.isArray(path) && path.length > 0)([]));

const raise = (value: JsonValue): never => {
  throw new JqError(value, true);
};

const halt = (): never => {
  throw new Halt();
};

export const structureFunctions: Natives = {
  ...pathFunctions,
  'path/1': ([filter = nothing]) => collectPaths(filter),
  'paths/0': () => pipe(collectPaths(recurseAll), notRoot),
  'paths/1': ([test = nothing]) => pipe(collectPaths(pipe(recurseAll, select(test))), notRoot),
  'pick/1': ([filter = nothing]) =>
    single((at, env, run) => ({ value: pick(filter, at.value, env, run), trail: at.trail })),
  'map_values/1': ([change = nothing]) =>
    single((at, env, run) => ({ value: modify(items, change, at.value, env, run), trail: at.trail })),
  'first/0': () => constantIndex(input, 0),
  'last/0': () => constantIndex(input, -1),
  'nth/1': ([position = nothing]) =>
    many(function* (at, env, run) {
      for (const key of valuesOf(position, at.value, env, run))
        yield* constantIndex(input, key).each(at, env, run);
    }),
  'walk/1': ([filter = nothing]) =>
    many(function* (at, env, run) {
      for (const value of walk(filter, at.value, env, run)) yield { value, trail: at.trail };
    }),
  'tostream/0': () =>
    many(function* (at, _env, run) {
      for (const value of toStream(run, at.value, [])) yield { value, trail: at.trail };
    }),
  'fromstream/1': ([source = nothing]) =>
    many(function* (at, env, run) {
      for (const value of fromStream(run, valuesOf(source, at.value, env, run)))
        yield { value, trail: at.trail };
    }),
  'truncate_stream/1': ([source = nothing]) => truncateStream(source),
  'INDEX/1': ([key = nothing]) => indexBy(items, key),
  'INDEX/2': ([rows = nothing, key = nothing]) => indexBy(rows, key),
  'JOIN/2': ([index = nothing, key = nothing]) =>
    single((at, env, run) => ({
      value: collect(joinRows(index, items, key), at.value, env, run),
      trail: at.trail,
    })),
  'JOIN/3': ([index = nothing, rows = nothing, key = nothing]) => joinRows(index, rows, key),
  'JOIN/4': ([index = nothing, rows = nothing, key = nothing, show = nothing]) =>
    pipe(joinRows(index, rows, key), show),
  'IN/1': ([others = nothing]) => meets(input, others),
  'IN/2': ([some = nothing, others = nothing]) => meets(some, others),
  'type/0': ofInput((_run, value) => typeOf(value)),
  'arrays/0': ofTypes('array'),
  'objects/0': ofTypes('object'),
  'iterables/0': ofTypes('array', 'object'),
  'booleans/0': ofTypes('boolean'),
  'numbers/0': ofTypes('number'),
  'strings/0': ofTypes('string'),
  'nulls/0': ofTypes('null'),
  'values/0': ofTypes('boolean', 'number', 'string', 'array', 'object'),
  'scalars/0': ofTypes('null', 'boolean', 'number', 'string'),
  'error/0': ofInput((_run, value) => raise(value)),
  'error/1': ofOne((_run, _input, value) => raise(value)),
  'halt/0': ofInput(halt),
  'halt_error/0': ofInput(halt),
  'halt_error/1': (args) => apply(args, halt),
  // compat gojq: without an environment to read, it is empty
  'env/0': () => constant({}),
};
