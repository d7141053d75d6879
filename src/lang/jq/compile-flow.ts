import { compilePattern } from './compile-bind.ts';
import {
  apply,
  bind,
  constant,
  type Filter,
  type JqBindings,
  many,
  native,
  pipe,
  single,
  up,
} from './filter.ts';
import { formats } from './formats.ts';
import { toText } from './json-text.ts';
import { plus } from './operators.ts';
import { atValue, Break, JqError, type JqPosition, type Run } from './run.ts';
import { type Compile, type JqScope, withSlot } from './scope.ts';
import { article } from './step.ts';
import type { JqNode, JqNodeOf } from './syntax.ts';
import { isMap, isTruthy, type JsonMap, type JsonValue, put } from './value.ts';

export function compileIf(node: JqNodeOf<'if'>, scope: JqScope, compile: Compile): Filter {
  const otherwise = node.otherwise ? compile(node.otherwise, scope) : single((at) => at);
  return choose(compile(node.test, scope), compile(node.then, scope), otherwise);
}

/** compat gojq: one branch for each result of the condition; the condition is never part of a path. */
export function choose(test: Filter, then: Filter, otherwise: Filter): Filter {
  const decide = test.one;
  if (!decide) {
    return many(function* (at, env, run) {
      for (const verdict of test.each(atValue(at.value), env, run)) {
        run.step();
        yield* (isTruthy(verdict.value) ? then : otherwise).each(at, env, run);
      }
    });
  }
  const yes = then.one;
  const no = otherwise.one;
  if (yes && no) {
    return single((at, env, run) =>
      (isTruthy(decide(atValue(at.value), env, run).value) ? yes : no)(at, env, run),
    );
  }
  return many((at, env, run) =>
    (isTruthy(decide(atValue(at.value), env, run).value) ? then : otherwise).each(at, env, run),
  );
}

export function compileLogic(node: JqNodeOf<'and' | 'or'>, scope: JqScope, compile: Compile): Filter {
  const right = choose(compile(node.right, scope), constant(true), constant(false));
  const left = compile(node.left, scope);
  return node.is === 'and' ? choose(left, right, constant(false)) : choose(left, constant(true), right);
}

/** `//`: the truthy results of the left side, or the right side. compat gojq: an error on the left is an error. */
export function compileAlternative(node: JqNodeOf<'//'>, scope: JqScope, compile: Compile): Filter {
  const left = compile(node.left, scope);
  const right = compile(node.right, scope);
  return many(function* (at, env, run) {
    let found = false;
    for (const result of left.each(at, env, run)) {
      run.step();
      if (!isTruthy(result.value)) continue;
      found = true;
      yield result;
    }
    if (!found) yield* right.each(at, env, run);
  });
}

export function compileTry(node: JqNodeOf<'try'>, scope: JqScope, compile: Compile): Filter {
  const body = compile(node.body, scope);
  if (!node.handler) return compileOptional(node.body, body);
  const handler = compile(node.handler, scope);
  return many(function* (at, env, run) {
    let caught: JqPosition;
    try {
      yield* body.each(at, env, run);
      return;
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      caught = { value: error.value, trail: at.trail };
    }
    yield* handler.each(caught, env, run);
  });
}

/** `body?`. A single step is not even tried where its input cannot have it, which is most of what `..` meets. */
function compileOptional(node: JqNode, body: Filter): Filter {
  const fits = inputOf(node);
  const quietly = many(function* (at, env, run) {
    try {
      yield* body.each(at, env, run);
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
    }
  });
  if (!fits) return quietly;
  return many((at, env, run) => (fits(at.value) ? quietly.each(at, env, run) : []));
}

/** Whether a field or `[]` of the input itself can be read from a value. */
function inputOf(node: JqNode): ((value: JsonValue) => boolean) | undefined {
  if ((node.is !== 'index' && node.is !== 'iterate') || node.of.is !== 'identity') return undefined;
  if (node.is === 'iterate') return (value) => typeof value === 'object' && value !== null;
  const isField = node.key.is === 'literal' && typeof node.key.value === 'string';
  return isField ? (value) => value === null || isMap(value) : undefined;
}

/** The common part of `reduce` and `foreach`: every item of the source, destructured, beside its position. */
function compileLoop(node: JqNodeOf<'reduce' | 'foreach'>, scope: JqScope, compile: Compile) {
  const source = compile(node.source, scope);
  const pattern = compilePattern(node.pattern, scope, compile);
  const rounds = function* (
    at: JqPosition,
    env: JqBindings,
    run: Run,
  ): Generator<{ bound: JqBindings; trail: JqPosition['trail'] }> {
    for (const item of source.each(at, env, run)) {
      for (const bound of pattern.bind(item.value, env, run)) {
        run.step();
        yield { bound, trail: item.trail };
      }
    }
  };
  return {
    start: compile(node.start, scope),
    update: compile(node.update, pattern.scope),
    rounds,
    inner: pattern.scope,
  };
}

/** compat gojq: an update with no result leaves the state as it was. */
export function compileReduce(node: JqNodeOf<'reduce'>, scope: JqScope, compile: Compile): Filter {
  const { start, update, rounds } = compileLoop(node, scope, compile);
  return many(function* (at, env, run) {
    for (const { value, trail } of start.each(at, env, run)) {
      let state = value;
      for (const round of rounds({ value: at.value, trail }, env, run)) {
        for (const next of update.each({ value: state, trail: round.trail }, round.bound, run))
          state = next.value;
      }
      yield { value: state, trail };
    }
  });
}

export function compileForeach(node: JqNodeOf<'foreach'>, scope: JqScope, compile: Compile): Filter {
  const { start, update, rounds, inner } = compileLoop(node, scope, compile);
  const extract = node.extract ? compile(node.extract, inner) : single((at) => at);
  return many(function* (at, env, run) {
    for (const { value, trail } of start.each(at, env, run)) {
      let state = value;
      for (const round of rounds({ value: at.value, trail }, env, run)) {
        for (const next of update.each({ value: state, trail: round.trail }, round.bound, run)) {
          state = next.value;
          yield* extract.each(next, round.bound, run);
        }
      }
    }
  });
}

export function compileLabel({ name, body }: JqNodeOf<'label'>, scope: JqScope, compile: Compile): Filter {
  const inner = compile(body, withSlot(scope, `*${name}`));
  return many(function* (at, env, run) {
    const label = bind(env, null);
    try {
      yield* inner.each(at, label, run);
    } catch (error) {
      if (!(error instanceof Break) || error.label !== label) throw error;
    }
  });
}

export const compileBreak = (distance: number): Filter =>
  many((_at, env) => {
    throw new Break(up(env, distance) ?? {});
  });

export function compileArray({ of }: JqNodeOf<'array'>, scope: JqScope, compile: Compile): Filter {
  if (!of) return constant([]);
  const items = compile(of, scope);
  return single((at, env, run) => {
    const list = [];
    for (const item of items.each(at, env, run)) {
      run.take(8);
      run.step();
      list.push(item.value);
    }
    return { value: list, trail: at.trail };
  });
}

/** compat gojq: of two fields with one key the last wins; the first field varies slowest. */
export function compileObject({ fields }: JqNodeOf<'object'>, scope: JqScope, compile: Compile): Filter {
  const parts = fields.flatMap(({ key, value }) => [compile(key, scope), compile(value, scope)]).reverse();
  return apply(parts, (run, _input, values) => {
    run.take(8 * values.length);
    const map: JsonMap = {};
    for (let index = values.length - 1; index > 0; index -= 2) {
      const key = values[index] ?? null;
      if (typeof key !== 'string') throw new JqError(`the key of an object is a string, not ${article(key)}`);
      put(map, key, values[index - 1] ?? null);
    }
    return map;
  });
}

/** Text with interpolations; the last one varies slowest. */
export function compileTemplate(node: JqNodeOf<'template'>, scope: JqScope, compile: Compile): Filter {
  const format = node.format === undefined ? native(toText) : formatFilter(node.format);
  const parts = node.parts.map((part: string | JqNode) =>
    typeof part === 'string' ? constant(part) : pipe(compile(part, scope), format),
  );
  return apply(parts, (run, _input, values) => values.reduce((text, piece) => plus(run, text, piece), ''));
}

/** compat gojq: an unknown format is an error only when it is used. */
export function formatFilter(name: string): Filter {
  return native((run, value) => {
    const format = formats.get(name);
    if (!format) throw new JqError(`${name} is no format`);
    return format(run, value);
  });
}
