import { compileRegex } from '#lang/regex';
import { functions } from './builtins/functions.ts';
import { callPredicate, isPredicate } from './builtins/predicates.ts';
import { ExprError, invalidExpression } from './errors.ts';
import type { Closed, ExprRun } from './evaluation.ts';
import { fetch, isIn, slice } from './member.ts';
import {
  add,
  divide,
  equal,
  modulo,
  multiply,
  negate,
  order,
  power,
  subtract,
  toInt,
  truth,
} from './operators.ts';
import type { ExprNode, ExprNodeOf } from './syntax.ts';
import { ExprFunction, ExprList, ExprMap, type ExprValue, readHost, typeOf } from './value.ts';

/** A compiled part. Undefined only inside a chain: an optional member found nil, and the chain ends. */
type Part = (run: ExprRun) => ExprValue | undefined;

/** What the parts of one expression know of it. */
type Compilation = {
  readonly text: string;
  /** The variables of `let` that are visible, innermost last. */
  readonly variables: readonly string[];
};

/** Throws InvalidSpec for a pattern that cannot be read, and for a builtin with a wrong number of arguments. */
export function compile(node: ExprNode, given: Compilation): Closed {
  const part = parts[node.is] as (node: ExprNode, given: Compilation) => Part;
  const inner = part(node, given);
  return (run) => {
    run.step();
    return inner(run) ?? null;
  };
}

type Parts = { readonly [Kind in ExprNode['is']]: (node: ExprNodeOf<Kind>, given: Compilation) => Part };

const parts: Parts = {
  constant:
    ({ value }) =>
    () =>
      value,
  name: compileName,
  pointer: ({ name, at }, { text }) => {
    if (!['', 'index', 'acc'].includes(name)) throw invalidExpression(text, at, `#${name} is unknown`);
    return (run) => {
      const { scope } = run;
      if (!scope) throw new ExprError('# has a meaning inside a predicate only');
      if (name === 'index') return BigInt(scope.index);
      return name === 'acc' ? scope.accumulated : scope.item;
    };
  },
  unary: ({ operator, of }, given) => {
    const operand = compile(of, given);
    if (operator === '-') return (run) => negate(operand(run));
    if (operator === '+') return (run) => operand(run);
    return (run) => !truth(operand(run), operator);
  },
  binary: compileBinary,
  condition: ({ test, then, otherwise }, given) => {
    const [decide, yes, no] = [compile(test, given), compile(then, given), compile(otherwise, given)];
    return (run) => (truth(decide(run), '?') ? yes(run) : no(run));
  },
  member: compileMember,
  chain: ({ of }, given) => compile(of, given),
  slice: ({ of, from, to }, given) => {
    const whole = compile(of, given);
    const [start, end] = [from && compile(from, given), to && compile(to, given)];
    return (run) => slice(run, whole(run), start?.(run), end?.(run));
  },
  call: compileCall,
  builtin: compileBuiltin,
  list: ({ items }, given) => {
    const compiled = items.map((item) => compile(item, given));
    return (run) => {
      run.allocate(compiled.length);
      return new ExprList(compiled.map((item) => item(run)));
    };
  },
  map: ({ pairs }, given) => {
    const compiled = pairs.map(([key, value]) => [compile(key, given), compile(value, given)] as const);
    return (run) => {
      run.allocate(compiled.length);
      return new ExprMap(new Map(compiled.map(([key, value]) => [textKey(key(run)), value(run)])));
    };
  },
  let: ({ name, value, body, at }, given) => {
    if (given.variables.includes(name)) throw invalidExpression(given.text, at, `${name} is declared twice`);
    const slot = given.variables.length;
    const compiled = compile(value, given);
    const rest = compile(body, { ...given, variables: [...given.variables, name] });
    return (run) => {
      run.variables[slot] = compiled(run);
      return rest(run);
    };
  },
  sequence: ({ parts: all }, given) => {
    const compiled = all.map((one) => compile(one, given));
    return (run) => compiled.reduce<ExprValue>((_last, one) => one(run), null);
  },
};

function textKey(key: ExprValue): string {
  if (typeof key === 'string') return key;
  throw new ExprError(`a key of a map is a string, not ${typeOf(key)}`);
}

function compileName({ name }: ExprNodeOf<'name'>, { variables }: Compilation): Part {
  const slot = variables.lastIndexOf(name);
  if (slot >= 0) return (run) => run.variables[slot] ?? null;
  if (name === '$env') return (run) => run.environment;
  return (run) =>
    Object.hasOwn(run.environment, name) ? readHost(run.environment[name], run.numbers) : null;
}

/** The object of a member may be the rest of a chain; what the chain ended with is handed on. */
function compileMember({ of, key, isOptional }: ExprNodeOf<'member'>, given: Compilation): Part {
  const object = compileLink(of, given);
  const property = compile(key, given);
  return (run) => {
    const from = object(run);
    if (from === undefined || (isOptional && from === null)) return undefined;
    return fetch(run, from, property(run));
  };
}

/** A part of a chain, without the end of the chain. */
function compileLink(node: ExprNode, given: Compilation): Part {
  if (node.is === 'member') return compileMember(node, given);
  if (node.is === 'call') return compileCall(node, given);
  return compile(node, given);
}

function compileCall({ callee, args }: ExprNodeOf<'call'>, given: Compilation): Part {
  const target = compileLink(callee, given);
  const compiled = args.map((arg) => compile(arg, given));
  const name = callee.is === 'name' ? callee.name : callee.is === 'member' && nameOf(callee.key);
  return (run) => {
    const called = target(run);
    if (called === undefined) return undefined;
    if (!(called instanceof ExprFunction))
      throw new ExprError(`${name || 'what is called'} is not a function`);
    return called.call(...compiled.map((arg) => arg(run)));
  };
}

const nameOf = (key: ExprNode): string => (key.is === 'constant' ? String(key.value) : '');

function compileBuiltin({ name, args, at }: ExprNodeOf<'builtin'>, given: Compilation): Part {
  const compiled = args.map((arg) => compile(arg, given));
  if (isPredicate(name)) return (run) => callPredicate(run, name, compiled);
  const found = functions[name];
  const [least = 0, most = least] = found?.arity ?? [];
  if (!found || args.length < least || args.length > most) {
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    throw invalidExpression(given.text, at, `${name} takes ${wanted} arguments, not ${args.length}`);
  }
  return (run) => found.call(run, ...compiled.map((arg) => arg(run)));
}

type Operation = (run: ExprRun, left: ExprValue, right: ExprValue) => ExprValue;
const operations: Readonly<Record<string, Operation>> = {
  '==': equal,
  '!=': (run, left, right) => !equal(run, left, right),
  '<': (_run, left, right) => order('<', left, right) < 0,
  '>': (_run, left, right) => order('>', left, right) > 0,
  '<=': (_run, left, right) => order('<=', left, right) <= 0,
  '>=': (_run, left, right) => order('>=', left, right) >= 0,
  '+': add,
  '-': (_run, left, right) => subtract(left, right),
  '*': (_run, left, right) => multiply(left, right),
  '/': (_run, left, right) => divide(left, right),
  '%': (_run, left, right) => modulo(left, right),
  '**': (_run, left, right) => power(left, right),
  '^': (_run, left, right) => power(left, right),
  in: isIn,
  '..': range,
  contains: ofTexts('contains', (text, part) => text.includes(part)),
  startsWith: ofTexts('startsWith', (text, part) => text.startsWith(part)),
  endsWith: ofTexts('endsWith', (text, part) => text.endsWith(part)),
  matches: (run, left, right) => {
    if (left === null || right === null) return false;
    return matches(run, left, compileRegex(textOf('matches', right)));
  },
};

/** What the word says of two texts; of nil it is false. */
function ofTexts(word: string, holds: (text: string, part: string) => boolean): Operation {
  return (run, left, right) => {
    if (left === null || right === null) return false;
    const [text, part] = [textOf(word, left), textOf(word, right)];
    run.step(1 + Math.floor(text.length / 64));
    return holds(text, part);
  };
}

function textOf(word: string, value: ExprValue): string {
  if (typeof value === 'string') return value;
  throw new ExprError(`${word} takes strings, not ${typeOf(value)}`);
}

function matches(run: ExprRun, value: ExprValue, regex: ReturnType<typeof compileRegex>): boolean {
  if (value === null) return false;
  const text = textOf('matches', value);
  run.step(1 + Math.floor((text.length * regex.cost) / 64));
  return regex.test(text);
}

function range(run: ExprRun, left: ExprValue, right: ExprValue): ExprValue {
  const [from, to] = [toInt(left), toInt(right)];
  const size = to < from ? 0 : Number(to - from) + 1;
  run.allocate(size);
  return new ExprList(Array.from({ length: size }, (_, index) => from + BigInt(index)));
}

function compileBinary({ operator, left, right, at }: ExprNodeOf<'binary'>, given: Compilation): Part {
  const [first, second] = [compile(left, given), compile(right, given)];
  if (operator === '??') return (run) => first(run) ?? second(run);
  if (operator === 'and' || operator === '&&')
    return (run) => (truth(first(run), operator) ? second(run) : false);
  if (operator === 'or' || operator === '||')
    return (run) => (truth(first(run), operator) ? true : second(run));
  if (operator === 'matches' && right.is === 'constant' && typeof right.value === 'string') {
    const regex = compileRegex(right.value);
    return (run) => matches(run, first(run), regex);
  }
  const operation = operations[operator];
  if (!operation) throw invalidExpression(given.text, at, `unexpected "${operator}"`);
  return (run) => operation(run, first(run), second(run));
}
