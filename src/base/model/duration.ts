import { FairleadError } from '#base/std';

const nanosPer: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const part = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/y;
const longest = 2n ** 63n;

/** A Go duration such as `1h30m`, in milliseconds. Throws InvalidSpec; a bare number other than 0 has no unit. */
export function parseDuration(text: string): number {
  const nanos = nanosOf(text);
  if (nanos === undefined) {
    throw new FairleadError(
      'InvalidSpec',
      `invalid duration "${text}": write a number and a unit, such as 90s, 5m or 1h30m`,
    );
  }
  // in two parts, so that whole milliseconds stay exact however long the duration
  return Number(nanos / 1_000_000n) + Number(nanos % 1_000_000n) / 1e6;
}

/** As parseDuration; a bare integer counts as seconds. compat engine A-16: the fields of `retry.backoff`. */
export function parseDurationOrSeconds(text: string): number {
  return /^[-+]?[0-9]+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
}

/**
 * As parseDuration; `7d` is seven days. compat: session and token lifetimes, which Go's own durations cannot
 * express.
 */
export function parseDurationOrDays(text: string): number {
  const days = /^([0-9]+)d$/.exec(text)?.[1];
  return days === undefined ? parseDuration(text) : Number(days) * 86_400_000;
}

function nanosOf(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const body = /^[-+]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0n;
  const total = sumOf(body);
  if (total === undefined || total > longest || (total === longest && !negative)) return undefined;
  return negative ? -total : total;
}

function sumOf(body: string): bigint | undefined {
  let total = 0n;
  let at = 0;
  do {
    part.lastIndex = at;
    const [found, whole = '', fraction = '', unit = ''] = part.exec(body) ?? [];
    if (found === undefined || (whole === '' && fraction === '')) return undefined;
    const nanos = nanosPer[unit] ?? 0n;
    total +=
      BigInt(whole || '0') * nanos + (BigInt(fraction || '0') * nanos) / 10n ** BigInt(fraction.length);
    at += found.length;
  } while (at < body.length);
  return total;
}

/** Milliseconds as Go prints them: `1h30m0s`, `1.5s`, `200ms`, `0s`. */
export function printDuration(ms: number): string {
  const whole = Math.trunc(Math.abs(ms));
  const nanos = BigInt(whole) * 1_000_000n + BigInt(Math.round((Math.abs(ms) - whole) * 1e6));
  const sign = ms < 0 ? '-' : '';
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${sign}${nanos}ns`;
  if (nanos < 1_000_000n) return `${sign}${decimal(nanos, 3)}µs`;
  if (nanos < 1_000_000_000n) return `${sign}${decimal(nanos, 6)}ms`;
  const seconds = nanos / 1_000_000_000n;
  const [hours, minutes] = [seconds / 3600n, (seconds / 60n) % 60n];
  const rest = `${decimal(nanos % 60_000_000_000n, 9)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${rest}`;
  return minutes > 0n ? `${sign}${minutes}m${rest}` : sign + rest;
}

/** value / 10^places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return digits.slice(0, -places) + (fraction && `.${fraction}`);
}
