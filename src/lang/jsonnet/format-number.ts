import type { Flags } from './format-directive.ts';
import { numberText } from './number-text.ts';

/** The format of a number; `pad` is the width that is filled with zeros. */
export type NumberFormat = Pick<Flags, 'alternate' | 'blank' | 'sign' | 'capitals'> & {
  readonly pad: number;
};

type Digits = { readonly precision: number; readonly zeros: boolean };

const numerals = '0123456789abcdef';

/**
 * compat sources JSN-4: digits come from repeated division of a double, so those of a number beyond 2^53 are what that gives.
 */
function digitsOf(magnitude: number, radix: number): string {
  if (magnitude === 0) return '0';
  let out = '';
  for (let rest = magnitude; rest > 0; rest = Math.floor(rest / radix))
    out = (numerals[rest % radix] ?? '') + out;
  return out;
}

const signOf = (negative: boolean, { sign, blank }: Pick<NumberFormat, 'sign' | 'blank'>): string =>
  negative ? '-' : sign ? '+' : blank ? ' ' : '';

type Shape = { readonly negative: boolean; readonly prefix?: string; readonly least: number };

function assembled(digits: string, style: NumberFormat, { negative, prefix = '', least }: Shape): string {
  const sign = signOf(negative, style);
  const width = Math.max(style.pad - sign.length - prefix.length, least);
  return sign + prefix + digits.padStart(width, '0');
}

/** `%d` and `%o`. */
export function whole(value: number, style: NumberFormat, least: number, radix: 8 | 10 = 10): string {
  const magnitude = Math.floor(Math.abs(value));
  const digits = digitsOf(magnitude, radix);
  const marked = radix === 8 && style.alternate && magnitude !== 0 ? `0${digits}` : digits;
  return assembled(marked, style, { negative: value <= -1, least });
}

export function hexadecimal(value: number, style: NumberFormat, least: number): string {
  const floor = Math.floor(value); // compat sources JSN-4: unlike %d, which cuts
  const digits = digitsOf(Math.abs(floor), 16);
  const text = assembled(digits, style, { negative: floor < 0, prefix: style.alternate ? '0x' : '', least });
  return style.capitals ? text.toUpperCase() : text;
}

/** `%f`: the number is scaled and cut, not rounded as printf does. */
export function decimal(value: number, style: NumberFormat, { precision, zeros }: Digits): string {
  const scale = power(precision);
  const scaled = Math.abs(value) * scale + 0.5;
  const wholePart = Math.floor(scaled / scale);
  const fraction = Math.floor(scaled) % scale;
  const point = precision === 0 && !style.alternate ? 0 : 1;
  const shape = { negative: value < 0, least: 0 };
  const before = assembled(digitsOf(wholePart, 10), { ...style, pad: style.pad - precision - point }, shape);
  if (precision === 0) return style.alternate ? `${before}.` : before;
  if (!zeros && fraction === 0) return before;
  const after = digitsOf(fraction, 10).padStart(precision, '0');
  return `${before}.${zeros ? after : after.replace(/0+$/, '')}`;
}

/** `%e`. */
export function scientific(value: number, style: NumberFormat, digits: Digits): string {
  const exponent = value === 0 ? 0 : Math.floor(Math.log(Math.abs(value)) / Math.LN10);
  const suffix = `${style.capitals ? 'E' : 'e'}${exponent < 0 ? '-' : '+'}${numberText(Math.abs(exponent)).padStart(2, '0')}`;
  const mantissa = exponent === -324 ? (value * 10) / power(exponent + 1) : value / power(exponent);
  return decimal(mantissa, { ...style, pad: style.pad - suffix.length }, digits) + suffix;
}

const power = (exponent: number): number => Number(`1e${exponent}`);
