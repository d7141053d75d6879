import { assertCode } from './assertion.ts';
import { compileObject, compileObjectComprehension } from './compile-object.ts';
import { JsonnetError, placed } from './fault.ts';
import { iterate } from './iterate.ts';
import { binaryOperators, indexed, sliced, unaryOperators } from './operators.ts';
import { textOf } from './print-json.ts';
import type { Bind, JsonnetKinds, JsonnetNode, JsonnetNodeOf, Param } from './syntax.ts';
import {
  type Args,
  bindArgs,
  type Code,
  Fn,
  invoke,
  JsonnetFrame,
  type JsonnetValue,
  type Lazy,
  type Obj,
  TailCall,
  type TailCode,
  Thunk,
  typeOf,
} from './value.ts';

/** The code every node has until it is first run; call it as a method of the node. */
export function compileOnFirstUse(this: unknown, frame: JsonnetFrame): JsonnetValue {
  const node = this as JsonnetNode;
  node.code = compile(node);
  return node.code(frame);
}

/** The code of an expression, as a function of its variables. */
function compile(node: JsonnetNode): Code {
  const compiler = compilers[node.kind] as (node: JsonnetNode) => Code;
  return compiler(node);
}

const compilers: { [K in keyof JsonnetKinds]: (node: JsonnetNodeOf<K>) => Code } = {
  literal:
    ({ value }) =>
    () =>
      value,
  self: () => (frame) => frame.self as Obj,
  name: compileName,
  super: compileSuper,
  inSuper: (node) => {
    const name = compile(node.name);
    return (frame) => (frame.self as Obj).has(textAt(name(frame), node, 'the name of a field'), frame.layer);
  },
  array: ({ items }) => {
    return (frame) => {
      frame.vm.meter.step(items.length);
      return items.map((item) => delay(item, frame));
    };
  },
  arrayComprehension: ({ item, clauses }) => {
    return (frame) => {
      const list: Lazy[] = [];
      iterate(clauses, frame, (inner) => list.push(new Thunk(item, inner)));
      return list;
    };
  },
  object: compileObject,
  objectComprehension: compileObjectComprehension,
  index: compileIndex,
  slice: compileSlice,
  call: (node) => {
    const prepare = compileCall(node);
    return (frame) => {
      const { fn, args } = prepare(frame);
      try {
        return invoke(frame.vm, fn, args, node.strict);
      } catch (error) {
        throw placed(error, node);
      }
    };
  },
  unary: (node) => {
    const operand = compile(node.operand);
    const operate = unaryOperators[node.operator];
    return (frame) => {
      const value = operand(frame);
      try {
        return operate(value);
      } catch (error) {
        throw placed(error, node);
      }
    };
  },
  binary: compileBinary,
  if: (node) => compileIf(node, compile) as Code,
  local: (node) => compileLocal(node, compile) as Code,
  function: compileFunction,
  error: (node) => {
    const message = compile(node.message);
    return (frame) => {
      throw new JsonnetError(textOf(frame.vm, message(frame)), node);
    };
  },
  assert: (node) => compileAssert(node, compile) as Code,
  import: (node) => (frame) => {
    try {
      return frame.vm.load(node.source.path, node.path, node.how);
    } catch (error) {
      throw placed(error, node);
    }
  },
};

/** The code of an expression in tail position of a function: a `tailstrict` call there uses no stack. */
function compileTail(node: JsonnetNode): TailCode {
  if (node.kind === 'if') return compileIf(node, compileTail);
  if (node.kind === 'local') return compileLocal(node, compileTail);
  if (node.kind === 'assert') return compileAssert(node, compileTail);
  if (node.kind === 'call' && node.strict) {
    const prepare = compileCall(node);
    return (frame) => {
      const { fn, args } = prepare(frame);
      return new TailCall(fn, args);
    };
  }
  return compile(node);
}

/** A lazy value; one that is already evaluated is not wrapped. */
function delay(node: JsonnetNode, frame: JsonnetFrame): Lazy {
  if (node.kind === 'literal') return node.value;
  if (node.kind === 'name') {
    const lazy = slotOf(frame, node);
    return lazy === undefined ? new Thunk(node, frame) : lazy;
  }
  if (node.kind === 'function') return node.code(frame);
  return new Thunk(node, frame);
}

function slotOf(frame: JsonnetFrame, { hops, slot }: { hops: number; slot: number }): Lazy | undefined {
  let at = frame;
  for (let i = hops; i > 0 && at.up; i--) at = at.up;
  return at.vars[slot];
}

function compileName(node: JsonnetNodeOf<'name'>): Code {
  return (frame) => {
    const lazy = slotOf(frame, node) as Lazy;
    if (!(lazy instanceof Thunk)) return lazy;
    try {
      return lazy.get();
    } catch (error) {
      throw placed(error, node);
    }
  };
}

function textAt(value: JsonnetValue, node: JsonnetNode, what: string): string {
  if (typeof value === 'string') return value;
  throw new JsonnetError(`${what} must be a string, got ${typeOf(value)}`, node);
}

function compileSuper(node: JsonnetNodeOf<'super'>): Code {
  const index = compile(node.index);
  return (frame) => {
    const name = textAt(index(frame), node, 'the name of a field');
    if (frame.layer === 0) throw new JsonnetError('super is used where there is no super object', node);
    const value = (frame.self as Obj).get(name, frame.layer);
    if (value === undefined)
      throw new JsonnetError(`field ${JSON.stringify(name)} does not exist in super`, node);
    return value;
  };
}

function compileIndex(node: JsonnetNodeOf<'index'>): Code {
  const target = compile(node.target);
  const index = compile(node.index);
  return (frame) => {
    const from = target(frame);
    try {
      return indexed(from, index(frame));
    } catch (error) {
      throw placed(error, node);
    }
  };
}

function compileSlice(node: JsonnetNodeOf<'slice'>): Code {
  const parts = [node.target, node.from, node.to, node.step].map((part) => part && compile(part));
  return (frame) => {
    const [target = null, from = null, to = null, step = null] = parts.map((part) => part?.(frame) ?? null);
    try {
      return sliced(frame.vm, target, [from, to, step]);
    } catch (error) {
      throw placed(error, node);
    }
  };
}

type Prepared = { readonly fn: Fn; readonly args: Args };

function compileCall(node: JsonnetNodeOf<'call'>): (frame: JsonnetFrame) => Prepared {
  const target = compile(node.target);
  const positional = node.args.filter(({ name }) => name === undefined).map(({ value }) => value);
  const named = node.args.flatMap(({ name, value }) => (name === undefined ? [] : [{ name, value }]));
  const pass = node.strict ? (value: JsonnetNode, frame: JsonnetFrame) => value.code(frame) : delay;
  return (frame) => {
    const fn = target(frame);
    if (!(fn instanceof Fn)) {
      throw new JsonnetError(`only a function can be called, this is a value of type ${typeOf(fn)}`, node);
    }
    const args: Args = [];
    for (const value of positional) args.push(pass(value, frame));
    if (named.length === 0 && args.length === fn.params.length) return { fn, args };
    const others = named.map(({ name, value }) => [name, pass(value, frame)] as const);
    try {
      return { fn, args: bindArgs(fn, args, others) };
    } catch (error) {
      throw placed(error, node);
    }
  };
}

function compileBinary(node: JsonnetNodeOf<'binary'>): Code {
  const left = compile(node.left);
  const right = compile(node.right);
  const { operator } = node;
  if (operator === '&&' || operator === '||') {
    const settles = operator === '||';
    return (frame) => (boolAt(left(frame), node) === settles ? settles : boolAt(right(frame), node));
  }
  const operate = binaryOperators[operator];
  return (frame) => {
    const first = left(frame);
    const second = right(frame);
    try {
      return operate(first, second, frame.vm);
    } catch (error) {
      throw placed(error, node);
    }
  };
}

function boolAt(value: JsonnetValue, node: JsonnetNode): boolean {
  if (typeof value === 'boolean') return value;
  throw new JsonnetError(`expected true or false, got ${typeOf(value)}`, node);
}

type Compiler = (node: JsonnetNode) => TailCode;

function compileIf(node: JsonnetNodeOf<'if'>, compileBranch: Compiler): TailCode {
  const condition = compile(node.condition);
  const then = compileBranch(node.then);
  const otherwise = node.otherwise ? compileBranch(node.otherwise) : () => null;
  return (frame) => (boolAt(condition(frame), node) ? then(frame) : otherwise(frame));
}

function compileLocal(node: JsonnetNodeOf<'local'>, compileBody: Compiler): TailCode {
  const { binds } = node;
  const body = compileBody(node.body);
  return (frame) => body(open(frame, binds));
}

/** A frame whose values may reference one another. */
function open(up: JsonnetFrame, binds: readonly Bind[]): JsonnetFrame {
  const vars: Lazy[] = [];
  const frame = new JsonnetFrame(up, vars, up.vm);
  for (const { value } of binds) vars.push(value.kind === 'literal' ? value.value : new Thunk(value, frame));
  return frame;
}

function compileFunction(node: JsonnetNodeOf<'function'>): Code {
  const params = node.params.map(({ name, fallback }) => ({ name, optional: fallback !== undefined }));
  const hasFallbacks = params.some(({ optional }) => optional);
  let body: TailCode | undefined;
  return (up) =>
    new Fn(params, (vm, args, strict) => {
      const frame = new JsonnetFrame(up, args, vm);
      if (hasFallbacks) fillIn(node.params, frame, strict);
      body ??= compileTail(node.body);
      return body(frame);
    });
}

/** Gives parameters without an argument their default. */
function fillIn(params: readonly Param[], frame: JsonnetFrame, strict: boolean): void {
  params.forEach(({ fallback }, i) => {
    if (!fallback || frame.vars[i] !== undefined) return;
    frame.vars[i] = new Thunk(fallback, frame);
  });
  if (strict) for (const lazy of frame.vars) if (lazy instanceof Thunk) lazy.get();
}

function compileAssert(node: JsonnetNodeOf<'assert'>, compileRest: Compiler): TailCode {
  const check = assertCode(node.assertion, node.source);
  const then = compileRest(node.rest);
  return (frame) => {
    check(frame);
    return then(frame);
  };
}
