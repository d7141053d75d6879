import { recurseAll } from './builtins/streams.ts';
import { compileCall, define } from './call.ts';
import { compileBind } from './compile-bind.ts';
import {
  compileAlternative,
  compileArray,
  compileBreak,
  compileForeach,
  compileIf,
  compileLabel,
  compileLogic,
  compileObject,
  compileReduce,
  compileTemplate,
  compileTry,
  formatFilter,
} from './compile-flow.ts';
import { compileIndex, compileIterate, compileSlice, compileUpdate } from './compile-path.ts';
import { apply, comma, constant, type Filter, native, pipe, single, up } from './filter.ts';
import { faultAt } from './lex.ts';
import { negate } from './number.ts';
import { operators } from './operators.ts';
import { JqError } from './run.ts';
import { type Compile, distanceTo, type JqScope } from './scope.ts';
import { article } from './step.ts';
import type { JqNode, JqNodeOf } from './syntax.ts';
import { isNumber, type JsonValue } from './value.ts';

/** Compiles a tree to a filter. `text` is for error messages. */
export function compileNode(root: JqNode, text: string): Filter {
  const compile: Compile = (node, scope) => kinds[node.is](node as never, scope, { compile, text });
  return compile(root, undefined);
}

type Tools = { readonly compile: Compile; readonly text: string };
type Kinds = { readonly [Is in JqNode['is']]: (node: JqNodeOf<Is>, scope: JqScope, tools: Tools) => Filter };

const kinds: Kinds = {
  identity: () => single((at) => at),
  recurse: () => recurseAll,
  literal: ({ value }) => constant(value),
  index: (node, scope, { compile }) => compileIndex(node, scope, compile),
  slice: (node, scope, { compile }) => compileSlice(node, scope, compile),
  iterate: (node, scope, { compile }) => compileIterate(node, scope, compile),
  try: (node, scope, { compile }) => compileTry(node, scope, compile),
  call: (node, scope, { compile, text }) => compileCall(node, scope, compile, text),
  variable: compileVariable,
  object: (node, scope, { compile }) => compileObject(node, scope, compile),
  array: (node, scope, { compile }) => compileArray(node, scope, compile),
  sign: ({ negative, of }, scope, { compile }) =>
    pipe(
      compile(of, scope),
      native((_run, value) => signed(negative, value)),
    ),
  format: ({ name }) => formatFilter(name),
  template: (node, scope, { compile }) => compileTemplate(node, scope, compile),
  if: (node, scope, { compile }) => compileIf(node, scope, compile),
  reduce: (node, scope, { compile }) => compileReduce(node, scope, compile),
  foreach: (node, scope, { compile }) => compileForeach(node, scope, compile),
  label: (node, scope, { compile }) => compileLabel(node, scope, compile),
  break: compileBreakOf,
  bind: (node, scope, { compile }) => compileBind(node, scope, compile),
  define: ({ definition, body }, scope, { compile }) => compile(body, define(definition, scope, compile)),
  pipe: ({ left, right }, scope, { compile }) => pipe(compile(left, scope), compile(right, scope)),
  comma: (node, scope, { compile }) => comma(sidesOf(node).map((side) => compile(side, scope))),
  and: (node, scope, { compile }) => compileLogic(node, scope, compile),
  or: (node, scope, { compile }) => compileLogic(node, scope, compile),
  '//': (node, scope, { compile }) => compileAlternative(node, scope, compile),
  binary: compileBinary,
  update: (node, scope, { compile }) => compileUpdate(node, scope, compile),
};

/** `a, b, c` as one list; nested to the left, each result would pass through all that follow. */
function sidesOf(node: JqNodeOf<'comma'>): JqNode[] {
  const sides: JqNode[] = [];
  let rest: JqNode = node;
  for (; rest.is === 'comma'; rest = rest.left) sides.push(rest.right);
  return [rest, ...sides.reverse()];
}

function compileVariable({ name, at }: JqNodeOf<'variable'>, scope: JqScope, { text }: Tools): Filter {
  const distance = distanceTo(scope, name);
  // compat gojq: without an environment to read, $ENV is empty
  if (distance === undefined && name === '$ENV') return constant({});
  if (distance === undefined) throw faultAt(text, at, `variable ${name} is not defined`);
  return single((here, env) => ({ value: up(env, distance)?.value ?? null, trail: here.trail }));
}

function compileBreakOf({ name, at }: JqNodeOf<'break'>, scope: JqScope, { text }: Tools): Filter {
  const distance = distanceTo(scope, `*${name}`);
  if (distance === undefined) throw faultAt(text, at, `label ${name} is not defined`);
  return compileBreak(distance);
}

function compileBinary({ op, left, right }: JqNodeOf<'binary'>, scope: JqScope, { compile }: Tools): Filter {
  const operator = operators[op];
  return apply([compile(left, scope), compile(right, scope)], (run, _input, [one = null, other = null]) =>
    operator(run, one, other),
  );
}

function signed(negative: boolean, value: JsonValue): JsonValue {
  if (isNumber(value)) return negative ? negate(value) : value;
  throw new JqError(`cannot give a sign to ${article(value)}`);
}
