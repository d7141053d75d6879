import { findNative, refusals } from './builtins/table.ts';
import { bind, bindClosure, type Filter, type JqBindings, many, single, up, valuesOf } from './filter.ts';
import { faultAt } from './lex.ts';
import type { JqPosition, Run } from './run.ts';
import {
  type Compile,
  findFunction,
  type JqFunction,
  type JqScope,
  withFunction,
  withSlot,
} from './scope.ts';
import type { JqDefinition as DefinitionNode, JqNodeOf } from './syntax.ts';

/** Calls of anything: an argument, a function of the expression, a function of the language. */
export function compileCall(node: JqNodeOf<'call'>, scope: JqScope, compile: Compile, text: string): Filter {
  const args = node.args.map((arg) => compile(arg, scope));
  const found = findFunction(scope, node.name, args.length);
  if (found?.is === 'argument') return callArgument(found.distance);
  if (found) return callFunction(found.definition, args, found.distance);
  const native = findNative(node.name, args.length);
  if (native) return native(args);
  const signature = `${node.name}/${args.length}`;
  const reason = refusals.get(node.name) ?? 'is not known';
  throw faultAt(text, node.at, `function ${signature} ${reason}`);
}

const callArgument = (distance: number): Filter =>
  many((at, env, run) => {
    run.step();
    const closure = up(env, distance)?.closure;
    return closure ? closure.filter.each(at, closure.env, run) : [];
  });

function callFunction(definition: JqFunction, args: readonly Filter[], distance: number): Filter {
  const byValue = args.filter((_arg, index) => definition.params[index]?.startsWith('$'));
  const enter = (env: JqBindings): JqBindings =>
    args.reduce<JqBindings>((inner, filter) => bindClosure(inner, { filter, env }), up(env, distance));
  const one = definition.body?.one;
  if (one && byValue.length === 0) {
    return single((at, env, run) => {
      run.step();
      return one(at, enter(env), run);
    });
  }
  return many(function* (at, env, run) {
    run.step();
    for (const inner of bindValues(byValue, at, env, enter(env), run)) {
      for (const result of definition.body?.each(at, inner, run) ?? []) {
        run.step();
        yield result;
      }
    }
  });
}

/** Parameters written with `$` are evaluated before the body, the first varying slowest. */
// biome-ignore lint/complexity/useMaxParams: arguments are evaluated in one environment and bound in another
function* bindValues(
  args: readonly Filter[],
  at: JqPosition,
  env: JqBindings,
  inner: JqBindings,
  run: Run,
): Generator<JqBindings> {
  const [arg, ...rest] = args;
  if (!arg) {
    yield inner;
    return;
  }
  for (const value of valuesOf(arg, at.value, env, run)) {
    run.step();
    yield* bindValues(rest, at, env, bind(inner, value), run);
  }
}

/** The scope that follows a definition. The function sees itself. */
export function define(node: DefinitionNode, scope: JqScope, compile: Compile): JqScope {
  const definition: JqFunction = { params: node.params, body: undefined };
  const after = withFunction(scope, node.name, definition);
  const plain = node.params.map((param) => param.replace('$', ''));
  const values = node.params.filter((param) => param.startsWith('$'));
  const inside = [...plain, ...values].reduce(withSlot, after);
  definition.body = compile(node.body, inside);
  return after;
}
