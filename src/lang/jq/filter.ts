import { atValue, type JqPosition, type Run } from './run.ts';
import type { JsonValue } from './value.ts';

/** A filter together with the variables it sees. */
export type JqClosure = { readonly filter: Filter; readonly env: JqBindings };

/** The variables while a filter runs, innermost first. A label is identified by its own binding. */
export type JqBindings =
  | { readonly value: JsonValue; readonly closure: JqClosure | undefined; readonly outer: JqBindings }
  | undefined;

type One = (at: JqPosition, env: JqBindings, run: Run) => JqPosition;
type Each = (at: JqPosition, env: JqBindings, run: Run) => Iterable<JqPosition>;

/**
 * A compiled expression: from one position to any number of positions. Given a trail it extends the trail, or
 * drops it, in which case the result is no path. `one` exists where there is always exactly one result; it
 * spares the iteration, which is most of the cost of simple expressions.
 */
export type Filter = { readonly one: One | undefined; readonly each: Each };

export const single = (one: One): Filter => ({ one, each: (at, env, run) => [one(at, env, run)] });

export const many = (each: Each): Filter => ({ one: undefined, each });

/** A filter that depends on nothing but the value. */
export const native = (compute: (run: Run, value: JsonValue) => JsonValue): Filter =>
  single((at, _env, run) => ({ value: compute(run, at.value), trail: at.trail }));

export const constant = (value: JsonValue): Filter => single((at) => ({ value, trail: at.trail }));

export const bind = (outer: JqBindings, value: JsonValue): JqBindings => ({
  value,
  closure: undefined,
  outer,
});

export const bindClosure = (outer: JqBindings, closure: JqClosure): JqBindings => ({
  value: null,
  closure,
  outer,
});

export function up(env: JqBindings, distance: number): JqBindings {
  let found = env;
  for (let step = 0; step < distance; step++) found = found?.outer;
  return found;
}

/** Results as plain values, with no thought of paths. */
export function* valuesOf(filter: Filter, value: JsonValue, env: JqBindings, run: Run): Generator<JsonValue> {
  for (const at of filter.each(atValue(value), env, run)) yield at.value;
}

/** All results as plain values, charged as a list. */
export function collect(filter: Filter, value: JsonValue, env: JqBindings, run: Run): JsonValue[] {
  if (filter.one) return [filter.one(atValue(value), env, run).value];
  const list: JsonValue[] = [];
  for (const at of filter.each(atValue(value), env, run)) {
    run.take(8);
    list.push(at.value);
  }
  return list;
}

export function pipe(left: Filter, right: Filter): Filter {
  const first = left.one;
  const second = right.one;
  if (first && second) return single((at, env, run) => second(first(at, env, run), env, run));
  if (first) return many((at, env, run) => right.each(first(at, env, run), env, run));
  return many(function* (at, env, run) {
    for (const middle of left.each(at, env, run)) {
      run.step();
      for (const result of right.each(middle, env, run)) {
        run.step();
        yield result;
      }
    }
  });
}

/** Results of one filter after those of another. */
export const comma = (sides: readonly Filter[]): Filter =>
  many(function* (at, env, run) {
    for (const side of sides) {
      for (const result of side.each(at, env, run)) {
        run.step();
        yield result;
      }
    }
  });

export type Compute = (run: Run, input: JsonValue, args: readonly JsonValue[]) => JsonValue;

/**
 * A function of evaluated arguments: one result for each combination, the last argument varying slowest.
 * compat gojq: arguments leave their trails behind them, so `path(.a + [])` is a path while `.a` is an array.
 */
export function apply(args: readonly Filter[], compute: Compute): Filter {
  if (args.length === 0) return native((run, value) => compute(run, value, []));
  const ones = args.map((arg) => arg.one);
  if (ones.every((one) => one !== undefined)) return applyOnce(ones, compute);
  return many(function* (at, env, run) {
    const values = new Array<JsonValue>(args.length).fill(null);
    const choose = function* (index: number, trail: JqPosition['trail']): Generator<JqPosition> {
      const arg = args[index];
      if (!arg) {
        yield { value: compute(run, at.value, values), trail };
        return;
      }
      for (const result of arg.each({ value: at.value, trail }, env, run)) {
        run.step();
        values[index] = result.value;
        for (const chosen of choose(index - 1, result.trail)) {
          run.step();
          yield chosen;
        }
      }
    };
    yield* choose(args.length - 1, at.trail);
  });
}

function applyOnce(ones: readonly One[], compute: Compute): Filter {
  return single((at, env, run) => {
    run.step();
    const values = new Array<JsonValue>(ones.length);
    let trail = at.trail;
    for (let index = ones.length - 1; index >= 0; index--) {
      const result = ones[index]?.(trail === at.trail ? at : { value: at.value, trail }, env, run) ?? at;
      values[index] = result.value;
      trail = result.trail;
    }
    return { value: compute(run, at.value, values), trail };
  });
}

/** Calls `body` for each combination of argument values, the first argument varying slowest; paths are not followed. */
export function withValues(
  args: readonly Filter[],
  body: (values: readonly JsonValue[], at: JqPosition, env: JqBindings, run: Run) => Iterable<JqPosition>,
): Filter {
  return many(function* (at, env, run) {
    const values = new Array<JsonValue>(args.length).fill(null);
    const choose = function* (index: number): Generator<JqPosition> {
      const arg = args[index];
      if (!arg) {
        yield* body(values, at, env, run);
        return;
      }
      for (const value of valuesOf(arg, at.value, env, run)) {
        run.step();
        values[index] = value;
        yield* choose(index + 1);
      }
    };
    yield* choose(0);
  });
}
