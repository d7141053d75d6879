import { apply } from '../filter.ts';
import { asNumber } from '../number.ts';
import { JqError } from '../run.ts';
import { article } from '../step.ts';
import { isNumber, type JsonValue } from '../value.ts';
import { type Natives, ofInput } from './native.ts';
import { magnitude } from './strings.ts';

function numberFor(name: string, value: JsonValue): number {
  const number = asNumber(value);
  if (number === undefined) throw new JqError(`${name} needs a number, not ${article(value)}`);
  return number;
}

/** Half to even. */
function roundEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Half away from zero. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

/** A fraction of at least a half and below one, and the power of two that goes with it. */
function frexp(value: number): [fraction: number, exponent: number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  const exponent = binaryExponent(value) + 1;
  return [scale(value, -exponent), exponent];
}

function binaryExponent(value: number): number {
  const size = Math.abs(value);
  // a subnormal number has leading zeros of its own
  if (size < 2 ** -1022) return binaryExponent(size * 2 ** 54) - 54;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, size);
  return (view.getUint16(0) >> 4) - 1023;
}

/** Multiplies by a power of two in steps that neither overflow nor vanish before the end. */
function scale(value: number, exponent: number): number {
  let result = value;
  let left = Math.max(-5000, Math.min(5000, Math.trunc(exponent)));
  while (left !== 0) {
    const part = Math.max(-1000, Math.min(1000, left));
    result *= 2 ** part;
    left -= part;
  }
  return result;
}

function nextAfter(from: number, to: number): number {
  if (Number.isNaN(from) || Number.isNaN(to)) return Number.NaN;
  if (from === to) return from;
  if (from === 0) return Math.sign(to) * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, from);
  const bits = view.getBigInt64(0);
  view.setBigInt64(0, from > 0 === to > from ? bits + 1n : bits - 1n);
  return view.getFloat64(0);
}

/** The rest of a division whose quotient is rounded to the nearest integer, half to even. */
function remainder(left: number, right: number): number {
  if (!Number.isFinite(right)) return Number.isNaN(right) || !Number.isFinite(left) ? Number.NaN : left;
  const rest = left % right;
  const half = Math.abs(right) / 2;
  const isOdd = Math.abs(Math.trunc(left / right)) % 2 === 1;
  const over = Math.abs(rest) > half || (Math.abs(rest) === half && isOdd);
  return over ? rest - Math.sign(rest) * Math.abs(right) : rest;
}

const logBinary = (value: number): number => {
  if (value === 0) return Number.NEGATIVE_INFINITY;
  return Number.isFinite(value) ? binaryExponent(value) : Math.abs(value);
};

const significand = (value: number): number =>
  value === 0 || !Number.isFinite(value) ? value : scale(value, -binaryExponent(value));

const copySign = (value: number, sign: number): number =>
  sign < 0 || Object.is(sign, -0) ? -Math.abs(value) : Math.abs(value);

const positiveDifference = (left: number, right: number): number =>
  Number.isNaN(left) || Number.isNaN(right) ? Number.NaN : Math.max(0, left - right);

const unary: Readonly<Record<string, (value: number) => number>> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round,
  nearbyint: roundEven,
  rint: roundEven,
  fabs: Math.abs,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  exp: Math.exp,
  exp2: (value) => 2 ** value,
  exp10: (value) => 10 ** value,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  logb: logBinary,
  significand,
};

const binary: Readonly<Record<string, (left: number, right: number) => number>> = {
  pow: (left, right) => left ** right,
  atan2: Math.atan2,
  fmod: (left, right) => left % right,
  fmin: Math.min,
  fmax: Math.max,
  fdim: positiveDifference,
  hypot: Math.hypot,
  copysign: copySign,
  ldexp: scale,
  scalb: scale,
  scalbln: scale,
  nextafter: nextAfter,
  nexttoward: nextAfter,
  remainder,
  drem: remainder,
};

const isNormal = (value: JsonValue): boolean => {
  const number = Math.abs(asNumber(value) ?? 0);
  return number >= 2 ** -1022 && number !== Number.POSITIVE_INFINITY;
};

function isNan(value: JsonValue): boolean {
  return value !== null && Number.isNaN(numberFor('isnan', value));
}

const isInfinite = (value: number): boolean => Math.abs(value) === Number.POSITIVE_INFINITY;

function tabled(): Natives {
  const ofNumber = Object.entries(unary).map(([name, compute]) => [
    `${name}/0`,
    ofInput((_run, value) => compute(numberFor(name, value)) + 0),
  ]);
  const ofNumbers = Object.entries(binary).map(([name, compute]) => [
    `${name}/2`,
    (args: Parameters<Natives[string]>[0]) =>
      apply(
        args,
        (_run, _input, [left = null, right = null]) =>
          compute(numberFor(name, left), numberFor(name, right)) + 0,
      ),
  ]);
  return Object.fromEntries([...ofNumber, ...ofNumbers]);
}

export const mathFunctions: Natives = {
  ...tabled(),
  'abs/0': ofInput((_run, value) => magnitude('abs', value)),
  'fma/3': (args) =>
    apply(
      args,
      (_run, _input, [left = null, right = null, more = null]) =>
        numberFor('fma', left) * numberFor('fma', right) + numberFor('fma', more),
    ),
  'frexp/0': ofInput((_run, value) => frexp(numberFor('frexp', value))),
  'modf/0': ofInput((_run, value) => {
    const number = numberFor('modf', value);
    const whole = Math.trunc(number) + 0;
    return [isInfinite(number) ? 0 : number - whole, whole];
  }),
  'infinite/0': ofInput(() => Number.POSITIVE_INFINITY),
  'nan/0': ofInput(() => Number.NaN),
  'isinfinite/0': ofInput((_run, value) => isNumber(value) && isInfinite(Number(value))),
  'isfinite/0': ofInput((_run, value) => isNumber(value) && !isInfinite(Number(value))),
  'isnan/0': ofInput((_run, value) => isNan(value)),
  'isnormal/0': ofInput((_run, value) => isNormal(value)),
};
