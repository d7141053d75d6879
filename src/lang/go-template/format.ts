import { noFlags, type PrintMeter, type VerbFlags } from './flags.ts';
import { formatFloatVerb, formatInteger, pad } from './format-number.ts';
import { type GoType, isUnsigned, types } from './go-type.ts';
import { canBackquote, quote } from './quote.ts';
import { durationText } from './sprig/duration.ts';
import { months, weekdays } from './sprig/moment.ts';
import { compareText, rejoined, runesOf, toBytes } from './text.ts';
import {
  GoComplex,
  GoError,
  GoFunction,
  type GoInt,
  GoList,
  GoMap,
  GoObject,
  integerOf,
  kindOf,
  typeOf,
  type Value,
} from './value.ts';

const deepest = 500; // deeper data than any reader makes; a map that holds itself ends here

/** The value as `%v` prints it, which is how a template prints it too. */
export const text = (run: PrintMeter, value: Value): string =>
  typeof value === 'string' ? value : formatArg(noFlags(run), value, 'v');

/** Sprint: a space between two operands when neither is a string. */
export function sprint(run: PrintMeter, args: readonly Value[]): string {
  let out = '';
  args.forEach((arg, at) => {
    if (at > 0 && typeof arg !== 'string' && typeof args[at - 1] !== 'string') out += ' ';
    out += text(run, arg);
  });
  return rejoined(out);
}

/** One operand of Printf by its verb. */
export function formatArg(flags: VerbFlags, arg: Value, verb: string): string {
  if (arg === null || arg === undefined) {
    return verb === 'T' || verb === 'v' ? pad(flags, '<nil>') : badVerb(flags, arg, verb);
  }
  if (verb === 'T') return pad(flags, cut(flags, typeOf(arg).name));
  if (verb === 'p') return formatPointer(flags, arg, verb);
  return formatValue(flags, arg, verb, 0);
}

/** `%!d(string=x)`: the verb is not for this type. */
function badVerb(flags: VerbFlags, value: Value, verb: string): string {
  if (value === null || value === undefined) return `%!${verb}(<nil>)`;
  return `%!${verb}(${typeOf(value).name}=${formatValue(flags, value, 'v', 0)})`;
}

function formatValue(flags: VerbFlags, value: Value, verb: string, depth: number): string {
  if (value === null || value === undefined) return formatNil(flags);
  flags.run.step();
  if (depth > deepest) throw new GoError(`value is nested deeper than ${deepest}`);
  if (typeof value === 'object') return formatComposite(flags, value, verb, depth);
  return formatBasic(flags, value, verb) ?? badVerb(flags, value, verb);
}

function formatBasic(
  flags: VerbFlags,
  value: string | boolean | number | bigint,
  verb: string,
): string | undefined {
  if (typeof value === 'string') return formatText(flags, value, verb);
  if (typeof value === 'number') return formatFloatVerb(flags, value, verb);
  if (typeof value === 'bigint') return formatInteger(flags, value, verb, false);
  return verb === 't' || verb === 'v' ? pad(flags, String(value)) : undefined;
}

function formatComposite(flags: VerbFlags, value: Composite, verb: string, depth: number): string {
  if (value instanceof GoList) return formatList(flags, value, verb, depth);
  if (value instanceof GoMap) return formatMap(flags, value, verb, depth);
  if (value instanceof GoObject) return formatObject(flags, value, verb, depth);
  if (value instanceof GoComplex) return formatComplex(flags, value, verb);
  if (value instanceof GoFunction) return formatPointer(flags, value, verb);
  return formatNamedInteger(flags, value, verb);
}

type Composite = Extract<Value, object>;

/** A nil interface inside a container. */
const formatNil = (flags: VerbFlags): string => (flags.sharpV ? 'interface {}(nil)' : '<nil>');

function formatNamedInteger(flags: VerbFlags, value: GoInt, verb: string): string {
  if (!flags.sharpV && 'vsxXq'.includes(verb)) {
    const name = namedIntegers.get(value.type)?.(value.value);
    if (name !== undefined) return formatText(flags, name, verb) ?? '';
  }
  const isBare = isUnsigned(kindOf(value));
  return formatInteger(flags, value.value, verb, isBare) ?? badVerb(flags, value, verb);
}

/** The String methods of named integer types. */
const namedIntegers = new Map<GoType, (value: bigint) => string>([
  [types.duration, durationText],
  [types.month, (value) => months[Number(value) - 1] ?? `%!Month(${value})`],
  [types.weekday, (value) => weekdays[Number(value)] ?? `%!Weekday(${value})`],
]);

/** A string cut to the precision of its verb. */
const cut = ({ precision }: VerbFlags, value: string): string =>
  precision === undefined ? value : runesOf(value).slice(0, precision).join('');

function formatText(flags: VerbFlags, value: string, verb: string): string | undefined {
  flags.run.alloc(value.length);
  switch (verb) {
    case 'v':
      return flags.sharpV ? quoted(flags, value) : pad(flags, cut(flags, value));
    case 's':
      return pad(flags, cut(flags, value));
    case 'q':
      return quoted(flags, value);
    case 'x':
    case 'X':
      return hexadecimal(flags, toBytes(value), verb);
    default:
      return undefined;
  }
}

function quoted(flags: VerbFlags, value: string): string {
  const short = cut(flags, value);
  if (flags.sharp && canBackquote(short)) return pad(flags, `\`${short}\``);
  return pad(flags, quote(short, flags.plus));
}

function hexadecimal(flags: VerbFlags, bytes: Uint8Array, verb: 'x' | 'X'): string {
  const used = bytes.subarray(0, flags.precision ?? bytes.length);
  const prefix = verb === 'x' ? '0x' : '0X';
  const pairs = Array.from(used, (byte) => byte.toString(16).padStart(2, '0'));
  const digits = verb === 'x' ? pairs : pairs.map((pair) => pair.toUpperCase());
  const each = flags.sharp && flags.space ? digits.map((pair) => prefix + pair) : digits;
  const joined = each.join(flags.space ? ' ' : '');
  return pad(flags, flags.sharp && !flags.space && joined !== '' ? prefix + joined : joined);
}

function formatList(flags: VerbFlags, value: GoList, verb: string, depth: number): string {
  if (value.type === types.bytes && 'sqxX'.includes(verb)) {
    const bytes = Uint8Array.from(value.items, (item) => Number(integerOf(item) ?? 0n));
    if (verb === 'x' || verb === 'X') return hexadecimal(flags, bytes, verb);
    return formatText(flags, new TextDecoder().decode(bytes), verb) ?? '';
  }
  if (flags.sharpV && value.isNil) return `${value.type.name}(nil)`;
  const items = value.items.map((item) => formatValue(flags, item, verb, depth + 1));
  return flags.sharpV ? `${value.type.name}{${items.join(', ')}}` : `[${items.join(' ')}]`;
}

function formatMap(flags: VerbFlags, value: GoMap, verb: string, depth: number): string {
  if (flags.sharpV && value.isNil) return `${value.type.name}(nil)`;
  const fields = sortedEntries(value).map(
    ([key, field]) =>
      `${formatValue(flags, key, verb, depth + 1)}:${formatValue(flags, field, verb, depth + 1)}`,
  );
  return flags.sharpV ? `${value.type.name}{${fields.join(', ')}}` : `map[${fields.join(' ')}]`;
}

function formatObject(flags: VerbFlags, value: GoObject, verb: string, depth: number): string {
  if (value.goText && flags.sharpV) return value.goText();
  if (value.text && !flags.sharpV && 'vsxXq'.includes(verb))
    return formatText(flags, value.text(), verb) ?? '';
  const named = flags.plusV || flags.sharpV;
  const fields = [...value.fields, ...value.hidden].map(
    ([name, field]) => (named ? `${name}:` : '') + formatValue(flags, field, verb, depth + 1),
  );
  const name = flags.sharpV ? value.type.name.replace(/^\*/, '') : '';
  return `${value.type.kind === 'ptr' ? '&' : ''}${name}{${fields.join(flags.sharpV ? ', ' : ' ')}}`;
}

function formatComplex(flags: VerbFlags, { real, imaginary }: GoComplex, verb: string): string {
  const first = formatFloatVerb(flags, real, verb);
  const second = formatFloatVerb({ ...flags, plus: true }, imaginary, verb);
  return first === undefined || second === undefined
    ? badVerb(flags, new GoComplex(real, imaginary), verb)
    : `(${first}${second}i)`;
}

/** Addresses mean nothing here: all are the same number. */
function formatPointer(flags: VerbFlags, value: Value, verb: string): string {
  const isPointer = value instanceof GoList || value instanceof GoMap || value instanceof GoFunction;
  if (!isPointer || !'pvbodxX'.includes(verb)) return badVerb(flags, value, verb);
  return (
    formatInteger({ ...flags, sharp: !flags.sharp }, 0xc000000000n, verb === 'p' ? 'x' : verb, true) ?? ''
  );
}

/** A map's entries in the order of their keys. */
export const sortedEntries = (value: GoMap): [string, Value][] =>
  [...value.entries].sort(([left], [right]) => compareText(left, right));
