import { compare } from '../compare.ts';
import { choose } from '../compile-flow.ts';
import { iterate } from '../compile-path.ts';
import { type Filter, type JqBindings, many, native, pipe, single, valuesOf, withValues } from '../filter.ts';
import { add, type Numeric } from '../number.ts';
import { atValue, JqError, type JqPosition, type Run } from '../run.ts';
import { article } from '../step.ts';
import { isNumber, isTruthy, type JsonValue } from '../value.ts';
import { type Natives, nothing } from './native.ts';

/** Keeps the input once for each true result of the test. */
export const select = (test: Filter): Filter =>
  choose(
    test,
    single((at) => at),
    nothing,
  );

/** Depth first without a stack of generators: however deep, each result costs the same. */
function* unfold(
  first: Iterable<JqPosition>,
  next: (at: JqPosition) => Iterable<JqPosition>,
  run: Run,
): Generator<JqPosition> {
  const open = [first[Symbol.iterator]()];
  for (let current = open.at(-1); current; current = open.at(-1)) {
    run.step();
    const step = current.next();
    if (step.done) {
      open.pop();
      continue;
    }
    run.take(100);
    yield step.value;
    open.push(next(step.value)[Symbol.iterator]());
  }
}

/**
 * `..`: a value and all values inside it. Pending values are kept in one list, last first; iterators would
 * cost far more.
 */
export const recurseAll: Filter = many(function* (at, _env, run) {
  const waiting = [at];
  for (let here = waiting.pop(); here; here = waiting.pop()) {
    yield here;
    pushChildren(waiting, here, run);
  }
});

function pushChildren(waiting: JqPosition[], at: JqPosition, run: Run): void {
  run.step();
  if (typeof at.value !== 'object' || at.value === null) return;
  const children = iterate(at, run);
  run.take(32 * children.length);
  for (const child of children.reverse()) waiting.push(child);
}

const recurse = (step: Filter): Filter =>
  many((at, env, run) => unfold([at], (found) => step.each(found, env, run), run));

type Turn = { readonly done: boolean; readonly at: JqPosition };

/** compat gojq: the condition may have several results; the loop continues for each false one. */
const until = (test: Filter, step: Filter): Filter => {
  const holds = test.one;
  const next = step.one;
  if (holds && next) {
    return single((at, env, run) => {
      let here = at;
      while (!isTruthy(holds(atValue(here.value), env, run).value)) {
        run.step();
        here = next(here, env, run);
      }
      return here;
    });
  }
  return many(function* (at, env, run) {
    const turns = (from: JqPosition): Iterator<Turn> =>
      turnsOf(from, test, (here) => step.each(here, env, run), { env, run });
    const open = [turns(at)];
    for (let current = open.at(-1); current; current = open.at(-1)) {
      run.step(4);
      const turn = current.next();
      if (turn.done) open.pop();
      else if (turn.value.done) yield turn.value.at;
      else {
        run.take(200);
        open.push(turns(turn.value.at));
      }
    }
  });
};

type Scope = { readonly env: JqBindings; readonly run: Run };

function* turnsOf(
  at: JqPosition,
  test: Filter,
  next: (at: JqPosition) => Iterable<JqPosition>,
  { env, run }: Scope,
): Generator<Turn> {
  for (const verdict of valuesOf(test, at.value, env, run)) {
    if (isTruthy(verdict)) {
      yield { done: true, at };
      continue;
    }
    for (const after of next(at)) yield { done: false, at: after };
  }
}

const repeat = (step: Filter): Filter =>
  many(function* (at, env, run) {
    for (;;) {
      run.step();
      yield* step.each(at, env, run);
    }
  });

const range = (args: readonly Filter[]): Filter =>
  withValues(args, function* ([start = 0, end = 0, by = 1], at, _env, run) {
    let value = numeric(start);
    const direction = compare(run, numeric(by), 0);
    while (direction * compare(run, value, numeric(end)) < 0) {
      run.step(2);
      yield { value, trail: at.trail };
      value = add(value, numeric(by));
    }
  });

function numeric(value: JsonValue): Numeric {
  if (isNumber(value)) return value;
  throw new JqError(`range needs numbers, not ${article(value)}`);
}

const firstOf = (source: Filter): Filter =>
  many(function* (at, env, run) {
    for (const found of source.each(at, env, run)) {
      yield found;
      return;
    }
  });

/** compat gojq: the last result is no path, unless it is the input itself. */
const lastOf = (source: Filter): Filter =>
  many(function* (at, env, run) {
    let last: JqPosition | undefined;
    for (const found of source.each(at, env, run)) last = found;
    if (last) yield { value: last.value, trail: at.trail };
  });

type Slice = (count: number, source: () => Iterable<JqPosition>) => Iterable<JqPosition>;

function counted(name: string, args: readonly Filter[], slice: Slice): Filter {
  const [count = nothing, source = nothing] = args;
  return withValues([count], ([value = null], at, env, run) => {
    const number = countOf(run, name, value);
    return slice(number, () => source.each(at, env, run));
  });
}

function countOf(run: Run, name: string, value: JsonValue): number {
  if (compare(run, value, 0) < 0) throw new JqError(`${name} needs a count that is not negative`);
  if (!isNumber(value)) throw new JqError(`${name} needs a count, not ${article(value)}`);
  return Number(value);
}

function* limit(count: number, source: () => Iterable<JqPosition>): Generator<JqPosition> {
  if (count <= 0) return;
  let left = count;
  for (const at of source()) {
    left -= 1;
    yield at;
    if (left <= 0) return;
  }
}

function* skip(count: number, source: () => Iterable<JqPosition>): Generator<JqPosition> {
  let left = count;
  for (const at of source()) {
    left -= 1;
    if (left < 0) yield at;
  }
}

/** Whether any result of `source` makes `test` come out as `wanted`. */
const some = (source: Filter, test: Filter, wanted: boolean): Filter =>
  single((at, env, run) => ({
    value: finds(pipe(source, test), wanted, at.value, { env, run }),
    trail: at.trail,
  }));

function finds(
  filter: Filter,
  wanted: boolean,
  value: JsonValue,
  { env, run }: { env: JqBindings; run: Run },
): boolean {
  for (const verdict of valuesOf(filter, value, env, run)) {
    run.step();
    if (isTruthy(verdict) === wanted) return true;
  }
  return false;
}

const items = many((at, _env, run) => iterate(at, run));
const itself = single((at) => at);
const not = native((_run, value) => !isTruthy(value));

export const streamFunctions: Natives = {
  'empty/0': () => nothing,
  'select/1': ([test = nothing]) => select(test),
  'recurse/0': () => recurseAll,
  'recurse/1': ([step = nothing]) => recurse(step),
  'recurse/2': ([step = nothing, test = nothing]) => recurse(pipe(step, select(test))),
  'while/2': ([test = nothing, step = nothing]) => pipe(select(test), recurse(pipe(step, select(test)))),
  'until/2': ([test = nothing, step = nothing]) => until(test, step),
  'repeat/1': ([step = nothing]) => repeat(step),
  'range/1': ([end = nothing]) => range([native(() => 0), end]),
  'range/2': range,
  'range/3': range,
  'first/1': ([source = nothing]) => firstOf(source),
  'last/1': ([source = nothing]) => lastOf(source),
  'limit/2': (args) => counted('limit', args, limit),
  'skip/2': (args) => counted('skip', args, skip),
  'nth/2': (args) => firstOf(counted('nth', args, skip)),
  'isempty/1': ([source = nothing]) =>
    single((at, env, run) => {
      for (const _ of source.each(atValue(at.value), env, run)) return { value: false, trail: at.trail };
      return { value: true, trail: at.trail };
    }),
  'any/0': () => some(items, itself, true),
  'any/1': ([test = nothing]) => some(items, test, true),
  'any/2': ([source = nothing, test = nothing]) => some(source, test, true),
  'all/0': () => pipe(some(items, itself, false), not),
  'all/1': ([test = nothing]) => pipe(some(items, test, false), not),
  'all/2': ([source = nothing, test = nothing]) => pipe(some(source, test, false), not),
  'not/0': () => not,
};
