import { quote } from '../quote.ts';
import { GoError } from '../value.ts';

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const limit = 2n ** 63n;
const second = 1_000_000_000n;

/** time.ParseDuration, in nanoseconds. Throws GoError with Go's message. */
export function parseDuration(text: string): bigint {
  const isNegative = text.startsWith('-');
  const size = text.replace(/^[-+]/, '');
  if (size === '0') return 0n;
  const total = sizeOf(size, text);
  if (size === '' || total > limit || (!isNegative && total === limit)) throw badDuration(text);
  return isNegative ? -total : total;
}

const badDuration = (text: string): GoError => new GoError(`time: invalid duration ${quote(text)}`);

function sizeOf(size: string, text: string): bigint {
  let total = 0n;
  for (let rest = size; rest !== ''; ) {
    const [all = '', whole = '', fraction = '', unit = ''] =
      /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/.exec(rest) ?? [];
    if (whole === '' && fraction === '') throw badDuration(text);
    if (unit === '') throw new GoError(`time: missing unit in duration ${quote(text)}`);
    const scale = units[unit];
    if (scale === undefined)
      throw new GoError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    total +=
      BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
    rest = rest.slice(all.length);
  }
  return total;
}

/** Duration.String: `1h2m3.5s`, and smaller units below a second. */
export function durationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (size < 1_000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${withFraction(size, 1_000n)}\u00b5s`;
  if (size < second) return `${sign}${withFraction(size, 1_000_000n)}ms`;
  const minutes = size / (60n * second);
  const seconds = withFraction(size % (60n * second), second);
  if (minutes === 0n) return `${sign}${seconds}s`;
  const hours = minutes / 60n;
  return `${sign}${hours > 0n ? `${hours}h` : ''}${minutes % 60n}m${seconds}s`;
}

function withFraction(value: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (value % unit).toString().padStart(digits, '0').replace(/0+$/, '');
  return `${value / unit}${fraction && `.${fraction}`}`;
}

/** Duration.Round to a whole second, half away from zero. */
export function roundedToSecond(nanoseconds: bigint): bigint {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const rounded = ((size + second / 2n) / second) * second;
  return nanoseconds < 0n ? -rounded : rounded;
}
