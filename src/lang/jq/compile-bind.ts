import { bind, constant, type Filter, type JqBindings, many, up, valuesOf } from './filter.ts';
import { JqError, type Run } from './run.ts';
import { type Compile, distanceTo, type JqScope, withSlot } from './scope.ts';
import { article, readStep } from './step.ts';
import type { JqNodeOf, Pattern, PatternField } from './syntax.ts';
import type { JsonValue } from './value.ts';

/** A pattern ready to take values apart: each way it can is an environment for the scope that follows it. */
export type Destructure = {
  readonly scope: JqScope;
  bind(value: JsonValue, env: JqBindings, run: Run): Iterable<JqBindings>;
};

export function compilePattern(pattern: Pattern, scope: JqScope, compile: Compile): Destructure {
  switch (pattern.is) {
    case 'variable':
      return { scope: withSlot(scope, pattern.name), bind: (value, env) => [bind(env, value)] };
    case 'array':
      return sequence(
        pattern.items.map((item, index) => ({
          key: constant(index),
          inner: item,
          check: checkList,
        })),
        scope,
        compile,
      );
    default:
      return sequence(fieldsOf(pattern.fields), scope, compile);
  }
}

type Part = {
  readonly key: Filter | PatternField['key'];
  readonly inner: Pattern;
  check?(value: JsonValue): void;
};

function checkList(value: JsonValue): void {
  if (value !== null && !Array.isArray(value)) throw new JqError(`expected an array, not ${article(value)}`);
}

/** `$x: pattern` binds the field and takes it apart. */
function fieldsOf(fields: readonly PatternField[]): Part[] {
  return fields.flatMap(({ key, name, pattern }) => {
    const named: Part[] = name === undefined ? [] : [{ key, inner: { is: 'variable', name } }];
    return pattern ? [...named, { key, inner: pattern }] : named;
  });
}

/** Parts one after the other; what an earlier one bound, a later key may use. */
function sequence(parts: readonly Part[], scope: JqScope, compile: Compile): Destructure {
  let here = scope;
  const steps = parts.map(({ key, inner, check }) => {
    const keys = 'each' in key ? key : compile(key, here);
    const nested = compilePattern(inner, here, compile);
    here = nested.scope;
    return { keys, nested, check };
  });
  const walk = function* (index: number, value: JsonValue, env: JqBindings, run: Run): Generator<JqBindings> {
    const step = steps[index];
    if (!step) {
      yield env;
      return;
    }
    step.check?.(value);
    for (const key of valuesOf(step.keys, value, env, run)) {
      run.step();
      for (const bound of step.nested.bind(readStep(run, value, key), env, run)) {
        yield* walk(index + 1, value, bound, run);
      }
    }
  };
  return { scope: here, bind: (value, env, run) => walk(0, value, env, run) };
}

export function compileBind(node: JqNodeOf<'bind'>, scope: JqScope, compile: Compile): Filter {
  const source = compile(node.source, scope);
  const [only, ...others] = node.patterns;
  if (!only || others.length > 0) return compileAlternatives(source, node, scope, compile);
  const pattern = compilePattern(only, scope, compile);
  const body = compile(node.body, pattern.scope);
  return many(function* (at, env, run) {
    for (const value of valuesOf(source, at.value, env, run)) {
      for (const bound of pattern.bind(value, env, run)) {
        run.step();
        yield* body.each(at, bound, run);
      }
    }
  });
}

/** `?//`: the next pattern is tried where one does not fit or the body fails with it; all their variables exist. */
function compileAlternatives(
  source: Filter,
  node: JqNodeOf<'bind'>,
  scope: JqScope,
  compile: Compile,
): Filter {
  const patterns = node.patterns.map((pattern) => compilePattern(pattern, scope, compile));
  const names = [...new Set(node.patterns.flatMap(namesOf))];
  const body = compile(node.body, names.reduce(withSlot, scope));
  const readers = patterns.map((pattern) =>
    names.map((name) => distanceTo(trim(pattern.scope, scope), name)),
  );
  const ways = patterns.map((pattern, index) =>
    many(function* (at, env, run) {
      for (const bound of pattern.bind(env?.value ?? null, env?.outer, run)) {
        yield* body.each(at, repack(bound, readers[index] ?? [], env?.outer), run);
      }
    }),
  );
  const way = ways.reduceRight((later, earlier) => orElse(earlier, later));
  return many(function* (at, env, run) {
    // what is taken apart rides on top of the environment, where each way finds it
    for (const value of valuesOf(source, at.value, env, run)) yield* way.each(at, bind(env, value), run);
  });
}

// dev engine D-12: `?//` does not catch a break, so `first` and `limit` end where they should
/** The second filter runs where the first one fails. */
const orElse = (first: Filter, second: Filter): Filter =>
  many(function* (at, env, run) {
    try {
      yield* first.each(at, env, run);
      return;
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
    }
    yield* second.each(at, env, run);
  });

/** The part of a scope that a pattern added: names outside it are not the pattern's. */
function trim(scope: JqScope, outer: JqScope): JqScope {
  if (!scope || scope === outer) return undefined;
  return { ...scope, outer: trim(scope.outer, outer) };
}

function repack(bound: JqBindings, distances: readonly (number | undefined)[], env: JqBindings): JqBindings {
  return distances.reduce<JqBindings>(
    (result, distance) => bind(result, distance === undefined ? null : (up(bound, distance)?.value ?? null)),
    env,
  );
}

function namesOf(pattern: Pattern): string[] {
  if (pattern.is === 'variable') return [pattern.name];
  if (pattern.is === 'array') return pattern.items.flatMap(namesOf);
  return pattern.fields.flatMap(({ name, pattern: inner }) => [
    ...(name === undefined ? [] : [name]),
    ...(inner ? namesOf(inner) : []),
  ]);
}
