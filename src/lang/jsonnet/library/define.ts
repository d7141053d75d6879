import { JsonnetError } from '../fault.ts';
import {
  type Args,
  type FieldDef,
  Fn,
  force,
  isList,
  JsonnetFrame,
  type JsonnetValue,
  type Lazy,
  type List,
  Obj,
  typeOf,
  type Visibility,
  type Vm,
} from '../value.ts';

/** A function of the library: its parameters as they are written, and what it does with forced arguments. */
export type JsonnetBuiltin = readonly [
  signature: string,
  run: (vm: Vm, ...args: JsonnetValue[]) => JsonnetValue,
];
/** The same with unevaluated arguments; undefined is one that was left out. */
export type LazyNative = readonly [
  signature: string,
  run: (vm: Vm, ...args: (Lazy | undefined)[]) => JsonnetValue,
];

/** `name(a, b, c=…)`: a parameter with `=` is optional, and the literal after it is its default. */
function parseSignature(signature: string) {
  const [, name = '', list = ''] = /^([^(]+)\((.*)\)$/.exec(signature) ?? [];
  const params = list.split(/,\s*/).filter((text) => text !== '');
  return {
    name,
    params: params.map((text) => {
      const [param = '', fallback] = text.split('=');
      return { name: param, optional: fallback !== undefined };
    }),
    fallbacks: params.map((text) => {
      const fallback = text.split('=')[1];
      return fallback === undefined || fallback === '' ? undefined : (JSON.parse(fallback) as JsonnetValue);
    }),
  };
}

/** A function whose arguments are evaluated before it runs. */
export function native([signature, run]: JsonnetBuiltin): [string, Fn] {
  return lazyNative([
    signature,
    (vm, ...args) => run(vm, ...args.map((arg) => (arg === undefined ? absent : force(arg)))),
  ]);
}

/** A function that evaluates its arguments itself, when it needs them. */
export function lazyNative([signature, run]: LazyNative): [string, Fn] {
  const { name, params, fallbacks } = parseSignature(signature);
  const invoke = (vm: Vm, args: Args): JsonnetValue =>
    run(vm, ...params.map((_, i) => (args[i] === undefined ? fallbacks[i] : args[i])));
  return [name, new Fn(params, invoke, true)];
}

/** The value of an optional argument that was left out and has no default. */
export const absent = new Fn([], () => null);

const notA = (type: string, value: JsonnetValue, what: string): JsonnetError =>
  new JsonnetError(`${what} must be ${type}, got ${typeOf(value)}`);

export function asText(value: JsonnetValue, what: string): string {
  if (typeof value === 'string') return value;
  throw notA('a string', value, what);
}

export function asNumber(value: JsonnetValue, what: string): number {
  if (typeof value === 'number') return value;
  throw notA('a number', value, what);
}

export function asInteger(value: JsonnetValue, what: string): number {
  const number = asNumber(value, what);
  if (Number.isInteger(number)) return number;
  throw new JsonnetError(`${what} must be an integer, got ${number}`);
}

export function asBoolean(value: JsonnetValue, what: string): boolean {
  if (typeof value === 'boolean') return value;
  throw notA('true or false', value, what);
}

export function asList(value: JsonnetValue, what: string): List {
  if (isList(value)) return value;
  throw notA('an array', value, what);
}

export function asObject(value: JsonnetValue, what: string): Obj {
  if (value instanceof Obj) return value;
  throw notA('an object', value, what);
}

export function asFunction(value: JsonnetValue, what: string): Fn {
  if (value instanceof Fn) return value;
  throw notA('a function', value, what);
}

/** An object of fields that need nothing around them. */
export function plainObject(
  vm: Vm,
  fields: Iterable<readonly [string, Lazy]>,
  visibility: Visibility = 'inherit',
): Obj {
  const defs = new Map<string, FieldDef>();
  for (const [name, value] of fields) defs.set(name, { visibility, value: { code: () => force(value) } });
  return new Obj([
    { fields: defs, scope: (self, layer) => new JsonnetFrame(undefined, [], vm, { self, layer }) },
  ]);
}
