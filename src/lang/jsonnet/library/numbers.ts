import { JsonnetError } from '../fault.ts';
import { format } from '../format.ts';
import { finite, modulo } from '../operators.ts';
import type { JsonnetValue } from '../value.ts';
import { asBoolean, asNumber, asText, type JsonnetBuiltin } from './define.ts';

const of = (value: JsonnetValue): number => asNumber(value, 'the argument');

/** A function of one number. */
const unary = (signature: string, run: (x: number) => number | boolean): JsonnetBuiltin => [
  signature,
  (_vm, x = null) => {
    const result = run(of(x));
    return typeof result === 'number' ? finite(result) : result;
  },
];

const binary = (signature: string, run: (x: number, y: number) => number): JsonnetBuiltin => [
  signature,
  (_vm, x = null, y = null) => finite(run(of(x), of(y))),
];

/** Rounds half away from zero, as Go does. */
function round(x: number): number {
  const whole = Math.trunc(x);
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}

/** A number as a fraction of at least a half, and a power of two. */
function parts(x: number): { fraction: number; exponent: number } {
  if (x === 0) return { fraction: x, exponent: 0 };
  const view = new DataView(new ArrayBuffer(8));
  const small = Math.abs(x) < 2 ** -1022;
  view.setFloat64(0, small ? x * 2 ** 54 : x);
  const high = view.getUint32(0);
  const exponent = ((high >>> 20) & 0x7ff) - 1022 - (small ? 54 : 0);
  view.setUint32(0, (high & 0x800fffff) | (1022 << 20));
  return { fraction: view.getFloat64(0), exponent };
}

/** compat sources JSN-4: what fits into 64 bits. */
function integer(text: string): number {
  const whole = /^[-+]?[0-9]+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (whole === undefined || BigInt.asIntN(64, whole) !== whole) {
    throw new JsonnetError(`${JSON.stringify(text)} is not a whole number of 64 bits`);
  }
  return Number(whole);
}

function digits(text: string, radix: 8 | 16): number {
  const pattern = radix === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/;
  if (!pattern.test(text))
    throw new JsonnetError(`${JSON.stringify(text)} is not a whole number to the base ${radix}`);
  let value = 0;
  for (const digit of text) value = value * radix + Number.parseInt(digit, radix);
  return value;
}

export const numbers: readonly JsonnetBuiltin[] = [
  unary('abs(n)', (n) => (n > 0 ? n : -n)),
  unary('sign(n)', (n) => Math.sign(n) + 0),
  binary('max(a, b)', Math.max),
  binary('min(a, b)', Math.min),
  [
    'clamp(x, minVal, maxVal)',
    (_vm, x = null, low = null, high = null) => {
      if (of(x) < of(low)) return low;
      return of(x) > of(high) ? high : x;
    },
  ],
  unary('ceil(x)', Math.ceil),
  unary('floor(x)', Math.floor),
  unary('round(x)', round),
  unary('sqrt(x)', Math.sqrt),
  binary('hypot(x, y)', Math.hypot),
  unary('sin(x)', Math.sin),
  unary('cos(x)', Math.cos),
  unary('tan(x)', Math.tan),
  unary('asin(x)', Math.asin),
  unary('acos(x)', Math.acos),
  unary('atan(x)', Math.atan),
  binary('atan2(y, x)', Math.atan2),
  unary('log(x)', Math.log),
  unary('log2(x)', (x) => Math.log(x) / Math.log(2)),
  unary('log10(x)', (x) => Math.log(x) / Math.log(10)),
  unary('exp(x)', Math.exp),
  binary('pow(x, n)', (x, n) => x ** n),
  unary('mantissa(x)', (x) => parts(x).fraction),
  unary('exponent(x)', (x) => parts(x).exponent),
  unary('deg2rad(x)', (x) => (x * Math.PI) / 180),
  unary('rad2deg(x)', (x) => (x * 180) / Math.PI),
  unary('isEven(x)', (x) => Math.trunc(x) % 2 === 0),
  unary('isOdd(x)', (x) => Math.trunc(x) % 2 !== 0),
  unary('isInteger(x)', Number.isInteger),
  unary('isDecimal(x)', (x) => !Number.isInteger(x)),
  binary('modulo(x, y)', modulo),
  [
    'mod(a, b)',
    (vm, a = null, b = null) => (typeof a === 'string' ? format(vm, a, b) : finite(modulo(of(a), of(b)))),
  ],
  [
    'xor(x, y)',
    (_vm, x = null, y = null) => asBoolean(x, 'the first argument') !== asBoolean(y, 'the second argument'),
  ],
  [
    'xnor(x, y)',
    (_vm, x = null, y = null) => asBoolean(x, 'the first argument') === asBoolean(y, 'the second argument'),
  ],
  ['parseInt(str)', (_vm, text = null) => integer(asText(text, 'what is parsed'))],
  ['parseOctal(str)', (_vm, text = null) => finite(digits(asText(text, 'what is parsed'), 8))],
  ['parseHex(str)', (_vm, text = null) => finite(digits(asText(text, 'what is parsed'), 16))],
];
