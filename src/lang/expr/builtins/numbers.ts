import { parseFloatText } from '#lang/go-template';
import { ExprError } from '../errors.ts';
import type { ExprRun } from '../evaluation.ts';
import { intOfFloat, order } from '../operators.ts';
import { ExprDuration, type ExprValue, isList, itemsOf, typeOf } from '../value.ts';
import { intArg } from './arguments.ts';
import type { Builtin } from './builtin.ts';

const wrong = (name: string, value: ExprValue): ExprError =>
  new ExprError(`${name} takes a number, not ${typeOf(value)}`);

/** ceil, floor and round give floats, of ints too. */
const rounding = (name: string, round: (value: number) => number): [string, Builtin] => [
  name,
  {
    arity: [1],
    call: (_run, value = null) => {
      if (typeof value !== 'bigint' && typeof value !== 'number') throw wrong(name, value);
      return typeof value === 'bigint' ? Number(value) : round(value);
    },
  },
];

/** Go rounds halves away from zero. */
const roundHalf = (value: number): number =>
  Math.abs(value % 1) === 0.5 ? value + Math.sign(value) / 2 : Math.round(value);

function toInteger(value: ExprValue): ExprValue {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return intOfFloat(value);
  if (value instanceof ExprDuration) return value.nanoseconds;
  const isText = typeof value === 'string' && /^[-+]?[0-9]+$/.test(value) && value.length < 30;
  const number = isText ? BigInt(value.replace('+', '')) : undefined;
  if (number !== undefined && number === BigInt.asIntN(64, number)) return number;
  throw new ExprError(`int cannot read ${typeof value === 'string' ? JSON.stringify(value) : typeOf(value)}`);
}

function toFloating(value: ExprValue): ExprValue {
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value);
  const number = typeof value === 'string' ? parseFloatText(value) : undefined;
  if (number !== undefined) return number;
  throw new ExprError(
    `float cannot read ${typeof value === 'string' ? JSON.stringify(value) : typeOf(value)}`,
  );
}

/** The numbers of the arguments and of lists in them, however deep. */
function* numbersIn(run: ExprRun, name: string, args: readonly ExprValue[]): Generator<bigint | number> {
  for (const arg of args) {
    run.step();
    if (isList(arg)) yield* numbersIn(run, name, itemsOf(arg, run.numbers));
    else if (typeof arg === 'bigint' || typeof arg === 'number') yield arg;
    else throw wrong(name, arg);
  }
}

const extreme = (name: string, sign: 1 | -1): [string, Builtin] => [
  name,
  {
    arity: [1, 1000],
    call: (run, ...args) => {
      const [only = null] = args;
      // one argument that is neither a number nor a list is given back as it is
      if (args.length === 1 && !isList(only)) return only;
      let found: ExprValue = null;
      for (const value of numbersIn(run, name, args))
        if (found === null || sign * order(name, value, found) > 0) found = value;
      return found;
    },
  },
];

const average = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const half = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[half] ?? 0;
  return sorted.length === 0 ? 0 : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

const aggregate = (name: string, of: (values: readonly number[]) => number): [string, Builtin] => [
  name,
  { arity: [1, 1000], call: (run, ...args) => of([...numbersIn(run, name, args)].map(Number)) },
];

const int64 = (value: bigint): bigint => BigInt.asIntN(64, value);

const bits = (name: string, of: (left: bigint, right: bigint) => bigint): [string, Builtin] => [
  name,
  { arity: [2], call: (_run, left, right) => int64(of(intArg(name, left), intArg(name, right))) },
];

const shift = (name: string, of: (value: bigint, by: bigint) => bigint): [string, Builtin] =>
  bits(name, (value, by) => {
    if (by < 0n) throw new ExprError(`${name} takes a positive count`);
    // beyond 64 bits nothing is left but the sign
    return of(value, by > 64n ? 64n : by);
  });

export const numberFunctions: Readonly<Record<string, Builtin>> = Object.fromEntries<Builtin>([
  [
    'abs',
    {
      arity: [1],
      call: (_run, value = null) => {
        if (typeof value === 'number') return Math.abs(value);
        if (typeof value !== 'bigint') throw wrong('abs', value);
        return int64(value < 0n ? -value : value);
      },
    },
  ],
  rounding('ceil', Math.ceil),
  rounding('floor', Math.floor),
  rounding('round', roundHalf),
  ['int', { arity: [1], call: (_run, value = null) => toInteger(value) }],
  ['float', { arity: [1], call: (_run, value = null) => toFloating(value) }],
  extreme('max', 1),
  extreme('min', -1),
  aggregate('mean', average),
  aggregate('median', median),
  bits('bitand', (left, right) => left & right),
  bits('bitor', (left, right) => left | right),
  bits('bitxor', (left, right) => left ^ right),
  bits('bitnand', (left, right) => left & ~right),
  shift('bitshl', (value, by) => value << by),
  shift('bitshr', (value, by) => value >> by),
  shift('bitushr', (value, by) => BigInt.asUintN(64, value) >> by),
  ['bitnot', { arity: [1], call: (_run, value) => int64(~intArg('bitnot', value)) }],
]);
