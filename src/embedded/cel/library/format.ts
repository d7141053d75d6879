import { compareText } from '../compare.ts';
import { printFloat } from '../number-text.ts';
import { printDuration, printTimestamp } from '../time.ts';
import {
  CelError,
  type CelValue,
  Duration,
  keyText,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
} from '../value.ts';

/** The types that a clause accepts, by name, and its error for others. */
const taken: Readonly<Record<string, readonly [types: readonly string[], refusal: string]>> = {
  d: [['int', 'uint'], 'decimal clause can only be used on integers'],
  f: [['double', 'string'], 'fixed-point clause can only be used on doubles'],
  e: [['double', 'string'], 'scientific clause can only be used on doubles'],
  b: [['int', 'uint', 'bool'], 'only integers and bools can be formatted as binary'],
  o: [['int', 'uint'], 'octal clause can only be used on integers'],
  x: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
  X: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
};

/** The error of formatting values of these types, and the index of the value; undefined when there is none. */
export function formatProblem(
  text: string,
  types: readonly string[],
): { readonly at: number; readonly message: string } | undefined {
  let at = 0;
  for (const [all, , verb] of text.matchAll(clause)) {
    if (all === '%%') continue;
    if (verb === undefined) return { at: -1, message: 'unexpected end of string' };
    const [allowed, refusal] = taken[verb] ?? [];
    const type = types[at];
    if (type !== undefined && allowed && type !== 'dyn' && !allowed.includes(type)) {
      return { at, message: `error during formatting: ${refusal}, was given ${type}` };
    }
    at += 1;
  }
  return undefined;
}

const clause = /%(?:%|(?:\.(\d+))?([a-zA-Z])?)/g;

/** `"%s is %d".format([…])`, as in the string extension of CEL. */
export function format(text: string, args: readonly CelValue[]): CelValue {
  let next = 0;
  let wrong: CelError | undefined;
  const made = text.replaceAll(clause, (all, precision: string | undefined, verb: string | undefined) => {
    if (all === '%%' || wrong) return '%';
    const index = next;
    next += 1;
    const printed = one(verb, precision, args[index], index);
    if (typeof printed === 'string') return printed;
    wrong = printed;
    return '';
  });
  return wrong ?? made;
}

function one(
  verb: string | undefined,
  precision: string | undefined,
  arg: CelValue | undefined,
  index: number,
): string | CelError {
  if (verb === undefined) return new CelError('unexpected end of string');
  const print = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!print)
    return new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  if (arg === undefined) return new CelError(`index ${index} out of range`);
  return print(arg, precision === undefined ? undefined : Number(precision));
}

type Verb = (arg: CelValue, precision: number | undefined) => string | CelError;

const refused = (what: string, arg: CelValue): CelError =>
  new CelError(`error during formatting: ${what}, was given ${typeNameOf(arg)}`);

const integerOf = (arg: CelValue): bigint | undefined =>
  typeof arg === 'bigint' ? arg : arg instanceof Uint ? arg.value : undefined;

const verbs: Readonly<Record<string, Verb>> = {
  s: (arg) => printed(arg),
  d: (arg) => {
    const value = integerOf(arg);
    if (value !== undefined) return String(value);
    if (typeof arg === 'number' && !Number.isFinite(arg)) return special(arg);
    return refused('decimal clause can only be used on integers', arg);
  },
  f: (arg, precision = 6) => real(arg, 'fixed-point', (value) => grouped(value.toFixed(precision))),
  e: (arg, precision = 6) => real(arg, 'scientific', scientific, precision),
  b: (arg) => {
    if (typeof arg === 'boolean') return arg ? '1' : '0';
    const value = integerOf(arg);
    return value === undefined
      ? refused('only integers and bools can be formatted as binary', arg)
      : value.toString(2);
  },
  o: (arg) => {
    const value = integerOf(arg);
    return value === undefined
      ? refused('octal clause can only be used on integers', arg)
      : value.toString(8);
  },
  x: (arg) => hex(arg),
  X: (arg) => {
    const text = hex(arg);
    return typeof text === 'string' ? text.toUpperCase() : text;
  },
};

/** compat: the real server formats numbers in the English locale. */
const grouped = (text: string): string =>
  text.replace(/\B(?=(\d{3})+(?=\.|$))/g, (_all, _g, at) =>
    text.indexOf('.') >= 0 && at > text.indexOf('.') ? '' : ',',
  );

const superscript = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientific(value: number): string {
  const [mantissa = '', exponent = '0'] = value.toExponential(6).split('e');
  const digits = String(Math.abs(Number(exponent))).padStart(2, '0');
  const raised = [...digits].map((digit) => superscript[Number(digit)] ?? '').join('');
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${raised}`;
}

const special = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞');

function real(arg: CelValue, name: string, print: (value: number) => string, width = 0): string | CelError {
  if (typeof arg !== 'number') return refused(`${name} clause can only be used on doubles`, arg);
  return Number.isFinite(arg) ? print(arg) : special(arg).padStart(width);
}

function hex(arg: CelValue): string | CelError {
  const value = integerOf(arg);
  if (value !== undefined) return value.toString(16);
  const bytes = typeof arg === 'string' ? new TextEncoder().encode(arg) : arg;
  if (!(bytes instanceof Uint8Array)) {
    return refused('only integers, byte buffers, and strings can be formatted as hex', arg);
  }
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const printable = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

/** Any value as text. */
function printed(arg: CelValue): string | CelError {
  if (typeof arg === 'number') return printFloat(arg);
  if (typeof arg !== 'object' || arg === null) return String(arg);
  if (arg instanceof ListValue) return all(arg.items.map(printedInside), '[', ']');
  if (arg instanceof MapValue) return printedMap(arg);
  return printedAtom(arg) ?? refused(`string clause can only be used on ${printable}`, arg);
}

/** A value inside a list or a map. */
function printedInside(arg: CelValue): string | CelError {
  if (typeof arg === 'string') return JSON.stringify(arg);
  return typeof arg === 'number' && Number.isFinite(arg) ? arg.toFixed(6) : printed(arg);
}

function printedAtom(arg: CelValue): string | undefined {
  if (arg instanceof Uint) return String(arg.value);
  if (arg instanceof Uint8Array) return new TextDecoder().decode(arg);
  if (arg instanceof Timestamp) return printTimestamp(arg);
  if (arg instanceof Duration) return printDuration(arg);
  return arg instanceof TypeValue ? arg.name : undefined;
}

function printedMap(map: MapValue): string | CelError {
  const entries = [...map.entries.values()].sort(([a], [b]) =>
    compareText(keyText(a) ?? '', keyText(b) ?? ''),
  );
  const parts = entries.map(([key, value]) => {
    const name = printedInside(key);
    const inside = printedInside(value);
    if (typeof name !== 'string') return name;
    return typeof inside === 'string' ? `${name}:${inside}` : inside;
  });
  return all(parts, '{', '}');
}

function all(parts: readonly (string | CelError)[], open: string, close: string): string | CelError {
  const wrong = parts.find((part) => part instanceof CelError);
  return wrong ?? `${open}${parts.join(', ')}${close}`;
}
