import { isObject } from '#base/std';

/**
 * compat sources ASG-8: a value as Go prints it with %v. Every number is a float64 there, so 1000000 is `1e+06` and 8080
 * stays `8080`.
 */
export function goValueText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number' || typeof value === 'bigint') return floatText(Number(value));
  if (Array.isArray(value)) return `[${value.map(goValueText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${goValueText(value[name])}`).join(' ')}]`;
}

/** The fewest digits that name the number; with an exponent below -4 and from 6 on. */
function floatText(value: number): string {
  const [digits = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  // from 1e-6 on JavaScript writes no exponent, so String() is exact for the rest
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
