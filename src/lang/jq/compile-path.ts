import { JqEdit } from './edit.ts';
import { apply, type Filter, type JqBindings, many, native, single, valuesOf, withValues } from './filter.ts';
import { operators } from './operators.ts';
import { isIntact, JqError, type JqPosition, pathOf, type Run, rootTrail, type Trail } from './run.ts';
import type { Compile, JqScope } from './scope.ts';
import { article, readPath, readSlice, readStep } from './step.ts';
import type { JqNodeOf, UpdateOp } from './syntax.ts';
import { isMap, isTruthy, type JsonValue, sortedKeys } from './value.ts';

/** The trail one step on; a step that starts from another value than the trail's end leads nowhere. */
function follow(at: JqPosition, key: JsonValue, value: JsonValue): Trail | undefined {
  if (at.trail === undefined) return undefined;
  checkIntact(at.value, at.trail);
  return { parent: at.trail, key, value };
}

function checkIntact(value: JsonValue, trail: Trail): void {
  if (!isIntact(value, trail))
    throw new JqError(`not a path: ${article(value)} that was computed on the way`);
}

export function compileIndex({ of, key }: JqNodeOf<'index'>, scope: JqScope, compile: Compile): Filter {
  const source = compile(of, scope);
  if (key.is === 'literal') return constantIndex(source, key.value);
  const keys = compile(key, scope);
  return many(function* (at, env, run) {
    for (const step of valuesOf(keys, at.value, env, run)) {
      for (const found of source.each(at, env, run)) {
        run.step();
        const value = readStep(run, found.value, step);
        yield { value, trail: follow(found, step, value) };
      }
    }
  });
}

/** One known step behind a filter. */
export function constantIndex(source: Filter, key: JsonValue): Filter {
  const read = (at: JqPosition, run: Run): JqPosition => {
    run.step();
    const value = readStep(run, at.value, key);
    return { value, trail: follow(at, key, value) };
  };
  const { one } = source;
  if (one) return single((at, env, run) => read(one(at, env, run), run));
  return many(function* (at, env, run) {
    for (const found of source.each(at, env, run)) yield read(found, run);
  });
}

export function compileSlice({ of, from, to }: JqNodeOf<'slice'>, scope: JqScope, compile: Compile): Filter {
  const nothing = native(() => null);
  const source = compile(of, scope);
  const starts = from ? compile(from, scope) : nothing;
  const ends = to ? compile(to, scope) : nothing;
  return withValues([starts, ends], function* ([start = null, end = null], at, env, run) {
    for (const found of source.each(at, env, run)) {
      run.step();
      const value = readSlice(run, found.value, start, end);
      yield { value, trail: follow(found, { start, end }, value) };
    }
  });
}

export function compileIterate({ of }: JqNodeOf<'iterate'>, scope: JqScope, compile: Compile): Filter {
  const source = compile(of, scope);
  return many(function* (at, env, run) {
    for (const found of source.each(at, env, run)) yield* iterate(found, run);
  });
}

/** Every item of a list or field of an object, in order. */
export function iterate(at: JqPosition, run: Run): JqPosition[] {
  const { value } = at;
  if (at.trail) checkIntact(value, at.trail);
  if (Array.isArray(value)) {
    run.take(8 * value.length);
    return value.map((item, index) => child(at, index, item, run));
  }
  if (isMap(value)) return sortedKeys(run, value).map((key) => child(at, key, value[key] ?? null, run));
  throw new JqError(`cannot iterate over ${article(value)}`);
}

function child(at: JqPosition, key: JsonValue, value: JsonValue, run: Run): JqPosition {
  run.step();
  return { value, trail: at.trail && { parent: at.trail, key, value } };
}

/** `getpath`: reads a whole path, and is one. */
function getPath(path: Filter): Filter {
  return withValues([path], ([keys = null], at, _env, run) => {
    const value = readPath(run, at.value, keys);
    if (at.trail === undefined) return [{ value, trail: undefined }];
    checkIntact(at.value, at.trail);
    const steps = Array.isArray(keys) ? keys : [];
    return [{ value, trail: steps.reduce<Trail>((parent, key) => ({ parent, key, value }), at.trail) }];
  });
}

/** The paths a filter leads to. */
export function* pathsOf(
  filter: Filter,
  value: JsonValue,
  env: JqBindings,
  run: Run,
): Generator<JsonValue[]> {
  for (const found of filter.each({ value, trail: rootTrail(value) }, env, run)) {
    const trail = found.trail ?? rootTrail(value);
    checkIntact(found.value, trail);
    const path = pathOf(trail);
    run.take(8 * path.length);
    yield path;
  }
}

export function compileUpdate(
  { op, left, right }: JqNodeOf<'update'>,
  scope: JqScope,
  compile: Compile,
): Filter {
  const target = compile(left, scope);
  const source = compile(right, scope);
  if (op === '|=') return single((at, env, run) => withValue(at, modify(target, source, at.value, env, run)));
  return many(function* (at, env, run) {
    for (const operand of valuesOf(source, at.value, env, run)) {
      if (op === '=') {
        yield withValue(at, assign(run, at.value, operand, pathsOf(target, at.value, env, run)));
      } else {
        const change = changeBy(op, operand);
        yield withValue(at, modify(target, change, at.value, env, run));
      }
    }
  });
}

const withValue = (at: JqPosition, value: JsonValue): JqPosition => ({ value, trail: at.trail });

function assign(run: Run, value: JsonValue, operand: JsonValue, paths: Iterable<JsonValue[]>): JsonValue {
  const edit = new JqEdit(run, value);
  for (const path of paths) edit.set(path, operand);
  return edit.value;
}

function changeBy(op: Exclude<UpdateOp, '=' | '|='>, operand: JsonValue): Filter {
  if (op === '//=') return native((_run, value) => (isTruthy(value) ? value : operand));
  const operator = operators[op.slice(0, -1) as '+' | '-' | '*' | '/' | '%'];
  return native((run, value) => operator(run, value, operand));
}

/** compat gojq: each path takes the first result of the change; where there is none, the path is deleted. */
// biome-ignore lint/complexity/useMaxParams: an update is made of two filters, a value and where they run
export function modify(
  target: Filter,
  change: Filter,
  value: JsonValue,
  env: JqBindings,
  run: Run,
): JsonValue {
  const edit = new JqEdit(run, value);
  const emptied: JsonValue[] = [];
  for (const path of pathsOf(target, value, env, run)) {
    const before = readPath(run, edit.value, path);
    const after = first(change, before, env, run);
    if (after === undefined) emptied.push(path);
    else edit.set(path, after);
  }
  return edit.without(emptied);
}

function first(filter: Filter, value: JsonValue, env: JqBindings, run: Run): JsonValue | undefined {
  for (const result of valuesOf(filter, value, env, run)) return result;
  return undefined;
}

/** `del`: what remains when every path is gone. */
const deleteAll = (target: Filter): Filter =>
  single((at, env, run) =>
    withValue(at, new JqEdit(run, at.value).without([...pathsOf(target, at.value, env, run)])),
  );

export const pathFunctions = {
  'getpath/1': ([path = native(() => null)]: readonly Filter[]) => getPath(path),
  'del/1': ([target = native(() => null)]: readonly Filter[]) => deleteAll(target),
  'setpath/2': (args: readonly Filter[]) =>
    apply(args, (run, input, [path = null, value = null]) => {
      const edit = new JqEdit(run, input);
      edit.set(path, value);
      return edit.value;
    }),
  'delpaths/1': (args: readonly Filter[]) =>
    apply(args, (run, input, [paths = null]) => {
      if (Array.isArray(paths)) return new JqEdit(run, input).without(paths);
      throw new JqError(`delpaths needs an array of paths, not ${article(paths)}`);
    }),
};

export const collectPaths = (filter: Filter): Filter =>
  many(function* (at, env, run) {
    for (const path of pathsOf(filter, at.value, env, run)) yield withValue(at, path);
  });
