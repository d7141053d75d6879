import { text } from '../format.ts';
import { fn } from '../functions.ts';
import { types } from '../go-type.ts';
import { type CallContext, GoError, type GoFunction, GoInt, GoList, type Value } from '../value.ts';
import { toFloat64, toInt64 } from './coerce.ts';
import {
  addDecimals,
  type Decimal,
  decimalOf,
  divideDecimals,
  floatOf,
  multiplyDecimals,
  subtractDecimals,
} from './decimal.ts';

const int64 = (value: bigint): GoInt => new GoInt(types.int64, value);
const maxInt64 = 2n ** 63n - 1n;

/** The first of two whole numbers in an order. */
const larger = (left: bigint, right: bigint): bigint => [left, right][Number(right > left)] ?? left;
const smaller = (left: bigint, right: bigint): bigint => [left, right][Number(right < left)] ?? left;

/** sprig's arithmetic: integers are int64 and wrap around, the functions that end in f compute in decimals. */
export const numberFunctions: [string, GoFunction][] = [
  [
    'atoi',
    fn('string', (_run, value) => (/^[-+]?[0-9]+$/.test(value) && fits(BigInt(value)) ? BigInt(value) : 0n)),
  ],
  ['int64', fn('any', (_run, value) => int64(toInt64(value)))],
  ['int', fn('any', (_run, value) => toInt64(value))],
  ['float64', fn('any', (_run, value) => toFloat64(value))],
  ['toDecimal', fn('any', (run, value) => int64(octal(text(run, value))))],
  ['until', fn('int', (run, count) => ints(run, 0n, count, count < 0n ? -1n : 1n))],
  ['untilStep', fn('int int int', (run, start, stop, step) => ints(run, start, stop, step))],
  ['seq', fn('...int', (run, ...params) => sequence(run, params))],
  ['add1', fn('any', (_run, value) => int64(toInt64(value) + 1n))],
  [
    'add',
    fn('...any', (_run, ...values) => int64(values.reduce((sum: bigint, value) => sum + toInt64(value), 0n))),
  ],
  ['sub', fn('any any', (_run, left, right) => int64(toInt64(left) - toInt64(right)))],
  ['div', fn('any any', (_run, left, right) => int64(toInt64(left) / divisor(right)))],
  ['mod', fn('any any', (_run, left, right) => int64(toInt64(left) % divisor(right)))],
  [
    'mul',
    fn('any ...any', (_run, first, ...rest) =>
      int64(
        rest.reduce((product: bigint, value) => BigInt.asIntN(64, product * toInt64(value)), toInt64(first)),
      ),
    ),
  ],
  ['add1f', fn('any', (_run, value) => decimals(value, [1n], addDecimals))],
  ['addf', fn('...any', (_run, ...values) => decimals(0, values, addDecimals))],
  ['subf', fn('any ...any', (_run, first, ...rest) => decimals(first, rest, subtractDecimals))],
  ['divf', fn('any ...any', (_run, first, ...rest) => decimals(first, rest, divideDecimals))],
  ['mulf', fn('any ...any', (_run, first, ...rest) => decimals(first, rest, multiplyDecimals))],
  ['biggest', fn('any ...any', (_run, ...values) => int64(values.map(toInt64).reduce(larger)))],
  ['max', fn('any ...any', (_run, ...values) => int64(values.map(toInt64).reduce(larger)))],
  ['min', fn('any ...any', (_run, ...values) => int64(values.map(toInt64).reduce(smaller)))],
  ['maxf', fn('any ...any', (_run, ...values) => values.map(toFloat64).reduce((a, b) => Math.max(a, b)))],
  ['minf', fn('any ...any', (_run, ...values) => values.map(toFloat64).reduce((a, b) => Math.min(a, b)))],
  ['ceil', fn('any', (_run, value) => Math.ceil(toFloat64(value)))],
  ['floor', fn('any', (_run, value) => Math.floor(toFloat64(value)))],
  [
    'round',
    fn('any int ...float64', (_run, value, places, ...on) => round(toFloat64(value), places, on[0] ?? 0.5)),
  ],
];

const fits = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** ParseInt in base 8; 0 when that fails. */
function octal(value: string): bigint {
  const found = /^([-+]?)([0-7]+)$/.exec(value);
  if (!found) return 0n;
  const size = BigInt(`0o${found[2]}`);
  const signed = found[1] === '-' ? -size : size;
  return fits(signed) ? signed : 0n;
}

function divisor(value: Value): bigint {
  const found = toInt64(value);
  if (found === 0n) throw new GoError('runtime error: integer divide by zero');
  return found;
}

function ints(run: CallContext, start: bigint, stop: bigint, step: bigint): GoList {
  const down = stop < start;
  const items: bigint[] = [];
  if (down ? step >= 0n : step <= 0n) return new GoList(types.ints, items);
  const distance = down ? start - stop : stop - start;
  const count = (distance + (down ? -step : step) - 1n) / (down ? -step : step);
  run.alloc(Number(count) * 16);
  for (let at = start; down ? at > stop : at < stop; at += step) items.push(at);
  return new GoList(types.ints, items);
}

function sequence(run: CallContext, params: readonly bigint[]): string {
  const [first = 0n, second = 0n, third = 0n] = params;
  const printed = (start: bigint, stop: bigint, step: bigint): string =>
    ints(run, start, stop, step).items.join(' ');
  if (params.length === 1) {
    const step = first < 1n ? -1n : 1n;
    return printed(1n, first + step, step);
  }
  if (params.length === 2) {
    const step = second < first ? -1n : 1n;
    return printed(first, second + step, step);
  }
  if (params.length !== 3 || (third < first && second > 0n)) return '';
  return printed(first, third + (third < first ? -1n : 1n), second);
}

function decimals(
  first: Value,
  rest: readonly Value[],
  operate: (left: Decimal, right: Decimal) => Decimal,
): number {
  let result = decimalOf(toFloat64(first));
  for (const value of rest) result = operate(result, decimalOf(toFloat64(value)));
  return floatOf(result);
}

/** sprig's own rounding: up where the rest is at least `on`, whatever the sign. */
function round(value: number, places: bigint, on: number): number {
  const power = 10 ** Number(places > maxInt64 ? maxInt64 : places);
  const digit = power * value;
  const rest = digit - Math.trunc(digit);
  return (rest >= on ? Math.ceil(digit) : Math.floor(digit)) / power;
}
