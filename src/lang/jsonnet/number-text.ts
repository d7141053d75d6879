/** compat sources JSN-4: integers in full, everything else with 17 significant digits, as C's `%.17g`. */
export function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isInteger(value)) return integerText(value);
  const [digits = '', power = '0'] = rounded(value).split('e');
  const exponent = Number(power);
  const sign = digits.startsWith('-') ? '-' : '';
  const figures = digits.replace(/[-.]/g, '');
  if (exponent < -4 || exponent >= 17) return `${sign}${withPoint(figures, 1)}e${exponentText(exponent)}`;
  if (exponent < 0) return `${sign}${withPoint('0'.repeat(-exponent) + figures, 1)}`;
  return `${sign}${withPoint(figures, exponent + 1)}`;
}

const integerText = (value: number): string =>
  Math.abs(value) < 1e21 ? String(value) : BigInt(value).toString();

/** Seventeen digits; where the number lies exactly between two, the even one, as in Go. */
function rounded(value: number): string {
  const exact = value.toExponential(60);
  const text = value.toExponential(16);
  const e = exact.indexOf('e');
  const point = exact.indexOf('.');
  const kept = exact.slice(0, point + 17);
  if (!/^50*$/.test(exact.slice(point + 17, e))) return text;
  return Number(kept.at(-1)) % 2 === 0 ? kept + exact.slice(e) : text;
}

/** Digits with a point after the first few, and no zeros at the end. */
function withPoint(digits: string, whole: number): string {
  const fraction = digits.slice(whole).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, whole) : `${digits.slice(0, whole)}.${fraction}`;
}

const exponentText = (exponent: number): string =>
  (exponent < 0 ? '-' : '+') + String(Math.abs(exponent)).padStart(2, '0');

/** The fewest digits that name the number, never with an exponent. */
export function plainNumberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  const [digits = '', power] = text.split('e');
  if (power === undefined) return text;
  const sign = digits.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const exponent = Number(power);
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction.padEnd(exponent, '0')}`;
}
