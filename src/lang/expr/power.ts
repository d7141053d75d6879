/** A number as a fraction in [0.5, 1) and a power of two. */
function split(value: number): [fraction: number, exponent: number] {
  if (value === 0 || !Number.isFinite(value)) return [value, 0];
  let exponent = Math.max(-1023, Math.floor(Math.log2(Math.abs(value))) + 1);
  let fraction = value * 2 ** -exponent;
  for (; Math.abs(fraction) < 0.5; exponent -= 1) fraction *= 2;
  for (; Math.abs(fraction) >= 1; exponent += 1) fraction /= 2;
  return [fraction, exponent];
}

/** In two steps, so that neither power of two overflows alone. */
function scale(fraction: number, exponent: number): number {
  const half = Math.trunc(Math.max(-4000, Math.min(4000, exponent)) / 2);
  return fraction * 2 ** half * 2 ** (Math.max(-4000, Math.min(4000, exponent)) - half);
}

/**
 * Go's math.Pow to the last digit for whole exponents: it squares, where JavaScript's engines approximate. The rest is the
 * platform's.
 */
export function goPower(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1;
  const size = Math.abs(exponent);
  if (base === -1 && size === Number.POSITIVE_INFINITY) return 1;
  const isWhole = Number.isFinite(base) && base !== 0 && Number.isInteger(size) && size < 2 ** 31;
  return (isWhole ? squared(base, exponent) : undefined) ?? base ** exponent;
}

/** Undefined where the result is far beyond a double. */
function squared(base: number, exponent: number): number | undefined {
  let [factor, factorPower] = split(base);
  let [result, power] = [1, 0];
  for (let left = Math.abs(exponent); left > 0; left = Math.floor(left / 2)) {
    if (Math.abs(factorPower) > 4096) return undefined;
    if (left % 2 === 1) {
      result *= factor;
      power += factorPower;
    }
    const isSmall = factor * factor < 0.5;
    factor *= isSmall ? factor * 2 : factor;
    factorPower = factorPower * 2 - (isSmall ? 1 : 0);
  }
  return exponent < 0 ? scale(1 / result, -power) : scale(result, power);
}
