import { lengthOf } from './code-points.ts';
import { JsonnetError } from './fault.ts';
import { type Directive, parseFormat } from './format-directive.ts';
import { decimal, hexadecimal, scientific, whole } from './format-number.ts';
import { textOf } from './print-json.ts';
import { force, isList, type JsonnetValue, type List, Obj, typeOf, type Vm } from './value.ts';

/**
 * `text % values`, as in Python: an array gives the values in order, an object by name, anything else is the
 * only one.
 */
export function format(vm: Vm, text: string, values: JsonnetValue): string {
  const parts = parseFormat(text);
  const out =
    values instanceof Obj
      ? fromObject(vm, parts, values)
      : fromList(vm, parts, isList(values) ? values : [values]);
  vm.meter.joined(out.length);
  return out;
}

type Parts = readonly (string | Directive)[];

function fromObject(vm: Vm, parts: Parts, values: Obj): string {
  let out = '';
  for (const part of parts) {
    if (typeof part === 'string') out += part;
    else if (part.width === '*' || part.precision === '*')
      throw new JsonnetError('a format with an object cannot use *');
    else if (part.type === '%') out += padded(vm, '%', part, part.width);
    else out += shown(vm, named(values, part), part, { width: part.width, precision: part.precision });
    vm.meter.joined(out.length);
  }
  return out;
}

function named(values: Obj, { key }: Directive): JsonnetValue {
  if (key === undefined) throw new JsonnetError('a format with an object needs names, as in %(name)s');
  values.check();
  const value = values.get(key);
  if (value === undefined)
    throw new JsonnetError(`the format names field ${JSON.stringify(key)}, which does not exist`);
  return value;
}

function fromList(vm: Vm, parts: Parts, values: List): string {
  let out = '';
  let used = 0;
  const next = (): JsonnetValue => {
    const value = values[used];
    if (value === undefined)
      throw new JsonnetError(`the format needs more than the ${values.length} value(s) given`);
    used += 1;
    return force(value);
  };
  for (const part of parts) {
    if (typeof part === 'string') {
      out += part;
      continue;
    }
    const width = part.width === '*' ? count(next()) : part.width;
    const precision = part.precision === '*' ? count(next()) : part.precision;
    if (part.type === '%') out += padded(vm, '%', part, width);
    else out += shown(vm, next(), part, { width, precision });
    vm.meter.joined(out.length);
  }
  if (used < values.length)
    throw new JsonnetError(`the format uses ${used} of the ${values.length} values given`);
  return out;
}

function count(value: JsonnetValue): number {
  if (typeof value === 'number') return value;
  throw new JsonnetError(`* in a format needs a number, got ${typeOf(value)}`);
}

type Sizes = { readonly width: number; readonly precision: number | undefined };

function shown(vm: Vm, value: JsonnetValue, directive: Directive, sizes: Sizes): string {
  vm.meter.text(sizes.width + (sizes.precision ?? 0));
  const text = converted(vm, value, directive, sizes);
  return padded(vm, text, directive, sizes.width);
}

function padded(vm: Vm, text: string, { flags }: Directive, width: number): string {
  const missing = Math.max(0, Math.ceil(width - lengthOf(text)));
  vm.meter.text(missing);
  return flags.left ? text + ' '.repeat(missing) : ' '.repeat(missing) + text;
}

function converted(vm: Vm, value: JsonnetValue, directive: Directive, { width, precision }: Sizes): string {
  const { type, flags } = directive;
  if (type === 's') return textOf(vm, value);
  if (type === 'c') return character(value);
  if (typeof value !== 'number')
    throw new JsonnetError(`the format %${type} needs a number, got ${typeOf(value)}`);
  const style = { ...flags, pad: flags.zero && !flags.left ? width : 0 };
  const digits = precision ?? 6;
  switch (type) {
    case 'd':
      return whole(value, style, precision ?? 0);
    case 'o':
      return whole(value, style, precision ?? 0, 8);
    case 'x':
      return hexadecimal(value, style, precision ?? 0);
    case 'f':
      return decimal(value, style, { precision: digits, zeros: true });
    case 'e':
      return scientific(value, style, { precision: digits, zeros: true });
    default:
      return general(value, style, digits);
  }
}

type Style = Parameters<typeof decimal>[1];

function general(value: number, style: Style, digits: number): string {
  const exponent = value === 0 ? 0 : Math.floor(Math.log(Math.abs(value)) / Math.LN10);
  if (exponent < -4 || exponent >= digits) {
    return scientific(value, style, { precision: digits - 1, zeros: style.alternate });
  }
  const before = Math.max(1, exponent + 1);
  return decimal(value, style, { precision: digits - before, zeros: style.alternate });
}

function character(value: JsonnetValue): string {
  if (typeof value === 'number') return codePoint(value);
  if (typeof value !== 'string')
    throw new JsonnetError(`the format %c needs a character, got ${typeOf(value)}`);
  if (lengthOf(value) !== 1)
    throw new JsonnetError(`the format %c needs one character, got ${lengthOf(value)}`);
  return value;
}

/** The character of a number; half of a surrogate pair is none. */
export function codePoint(value: number): string {
  if (value < 0 || value > 0x10ffff) throw new JsonnetError(`no character has the number ${value}`);
  const point = Math.trunc(value);
  return point >= 0xd800 && point <= 0xdfff ? '\ufffd' : String.fromCodePoint(point);
}
