import type { VerbFlags } from './flags.ts';
import { formatFloat } from './number-text.ts';
import { isPrint, quoteRune } from './quote.ts';
import { runesOf } from './text.ts';

/** Fills a text up to the width of its verb. */
export function pad(flags: VerbFlags, text: string, zeros = flags.zero): string {
  const missing = flags.width === undefined ? 0 : flags.width - runesOf(text).length;
  if (missing <= 0) return text;
  flags.run.alloc(missing);
  if (flags.minus) return text + ' '.repeat(missing);
  return (zeros ? '0' : ' ').repeat(missing) + text;
}

const bases: Readonly<Record<string, number>> = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

/** An integer by a verb; undefined when the verb does not print integers. */
export function formatInteger(
  flags: VerbFlags,
  value: bigint,
  verb: string,
  isUnsigned: boolean,
): string | undefined {
  const base = bases[verb];
  if (base !== undefined) {
    const hex = verb === 'v' && flags.sharpV && isUnsigned;
    return digits(hex ? { ...flags, sharp: true } : flags, value, hex ? 16 : base, verb);
  }
  return formatCharacter(flags, value, verb);
}

function formatCharacter(flags: VerbFlags, value: bigint, verb: string): string | undefined {
  const code = value > 0x10ffffn || value < 0n ? 0xfffd : Number(value);
  if (verb === 'c') return pad(flags, String.fromCodePoint(code >= 0xd800 && code <= 0xdfff ? 0xfffd : code));
  if (verb === 'q') return pad(flags, quoteRune(code, flags.plus));
  return verb === 'U' ? unicode(flags, BigInt.asUintN(64, value)) : undefined;
}

/** The sign to print before a number that has this one. */
const signOf = (flags: VerbFlags, isNegative: boolean): string =>
  isNegative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';

function digits(flags: VerbFlags, value: bigint, base: number, verb: string): string {
  flags.run.alloc((flags.width ?? 0) + (flags.precision ?? 0));
  const sign = signOf(flags, value < 0n);
  if (flags.precision === 0 && value === 0n) return ' '.repeat(flags.width ?? 0);
  let text = (value < 0n ? -value : value).toString(base).padStart(leastDigits(flags, sign), '0');
  if (verb === 'X') text = text.toUpperCase();
  if (flags.sharp) text = prefixed(text, base, verb);
  if (verb === 'O') text = `0o${text}`;
  return pad(flags, sign + text, false);
}

function leastDigits(flags: VerbFlags, sign: string): number {
  if (flags.precision !== undefined) return flags.precision;
  return flags.zero && !flags.minus && flags.width !== undefined ? flags.width - sign.length : 0;
}

function prefixed(text: string, base: number, verb: string): string {
  if (base === 2) return `0b${text}`;
  if (base === 8) return text.startsWith('0') ? text : `0${text}`;
  if (base === 16) return (verb === 'X' ? '0X' : '0x') + text;
  return text;
}

function unicode(flags: VerbFlags, value: bigint): string {
  flags.run.alloc(flags.precision ?? 0);
  const code = value
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(flags.precision ?? 4, 4), '0');
  const char = value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : '';
  return pad(flags, flags.sharp && isPrint(char) ? `U+${code} '${char}'` : `U+${code}`, false);
}

const formats: Readonly<Record<string, readonly [format: string, precision: number]>> = {
  v: ['g', -1],
  b: ['b', -1],
  g: ['g', -1],
  G: ['G', -1],
  x: ['x', -1],
  X: ['X', -1],
  f: ['f', 6],
  F: ['f', 6],
  e: ['e', 6],
  E: ['E', 6],
};

/** A float by a verb; undefined when the verb does not print floats. */
export function formatFloatVerb(flags: VerbFlags, value: number, verb: string): string | undefined {
  const known = formats[verb];
  if (!known) return undefined;
  const [format, usual] = known;
  const precision = flags.precision ?? usual;
  flags.run.alloc((flags.width ?? 0) + (flags.precision ?? 0));
  const text = formatFloat(value, format, precision);
  const isNegative = text.startsWith('-');
  const sign = signOf(flags, isNegative);
  let size = text.replace(/^[-+]/, '');
  if (size === 'NaN') return pad(flags, sign + size, false);
  if (size === 'Inf') return pad(flags, (sign || '+') + size, false);
  if (flags.sharp && format !== 'b') size = withPoint(size, format, precision);
  if (sign && flags.zero && !flags.minus && flags.width !== undefined)
    return sign + size.padStart(flags.width - 1, '0');
  return pad(flags, sign + size);
}

/** The # flag: a decimal point always, and the zeros that %g leaves out. */
function withPoint(text: string, format: string, precision: number): string {
  const tailAt = text.search(format === 'x' || format === 'X' ? /[pP]/ : /[eE]/);
  const tail = tailAt < 0 ? '' : text.slice(tailAt);
  let head = tailAt < 0 ? text : text.slice(0, tailAt);
  let wanted = /[gGxv]/.test(format) ? (precision === -1 ? 6 : precision) : 0;
  const firstDigit = head.replace('.', '').search(/[^0]/);
  if (firstDigit >= 0) wanted -= head.replace('.', '').length - firstDigit;
  if (!head.includes('.')) {
    if (head === '0') wanted -= 1;
    head += '.';
  }
  return head + '0'.repeat(Math.max(wanted, 0)) + tail;
}
