import { compareText } from './code-points.ts';
import { JsonnetError } from './fault.ts';
import { numberText } from './number-text.ts';
import { Fn, force, isList, type JsonnetValue, Obj, type Vm } from './value.ts';

/** The names of the visible fields, in order. */
export function visibleNames(object: Obj): string[] {
  const names: string[] = [];
  for (const [name, visible] of object.fields()) if (visible) names.push(name);
  return names.sort(compareText);
}

/** A visible field's value, with the object's assertions checked. */
export function fieldOf(object: Obj, name: string): JsonnetValue {
  object.check();
  return object.get(name) ?? null;
}

const escaped = /["\\\p{Cc}]/gu;
const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** compat sources JSN-4: a string between quotes; the control characters after ASCII are escaped too. */
export function quoted(text: string): string {
  return `"${text.replace(escaped, (char) => short[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}

/** A value as text: strings as they are, everything else as JSON on one line. */
export function textOf(vm: Vm, value: JsonnetValue): string {
  return typeof value === 'string' ? value : lineOf(vm, value);
}

function lineOf(vm: Vm, value: JsonnetValue): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return numberText(value);
  if (isList(value)) {
    vm.meter.step(value.length);
    return value.length === 0 ? '[ ]' : `[${value.map((item) => lineOf(vm, force(item))).join(', ')}]`;
  }
  if (value instanceof Obj) {
    value.check();
    const fields = visibleNames(value).map((name) => `${quoted(name)}: ${lineOf(vm, fieldOf(value, name))}`);
    vm.meter.step(fields.length);
    return fields.length === 0 ? '{ }' : `{${fields.join(', ')}}`;
  }
  if (value instanceof Fn) throw new JsonnetError('a function cannot be shown as JSON');
  return String(value);
}
