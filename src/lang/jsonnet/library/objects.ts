import { compareText, lengthOf } from '../code-points.ts';
import { JsonnetError } from '../fault.ts';
import { isEqual } from '../operators.ts';
import { fieldOf, textOf, visibleNames } from '../print-json.ts';
import {
  call,
  Fn,
  force,
  isList,
  type JsonnetTypeName,
  type JsonnetValue,
  type Lazy,
  later,
  Obj,
  typeOf,
  type Vm,
} from '../value.ts';
import { asBoolean, asFunction, asObject, asText, type JsonnetBuiltin, plainObject } from './define.ts';

const object = (value: JsonnetValue): Obj => asObject(value, 'the object');

const names = (from: Obj, hidden: boolean): string[] =>
  hidden ? [...from.fields().keys()].sort(compareText) : visibleNames(from);

const has = (from: Obj, name: string, hidden: boolean): boolean =>
  hidden ? from.has(name) : from.fields().get(name) === true;

function length(value: JsonnetValue): number {
  if (typeof value === 'string') return lengthOf(value);
  if (isList(value)) return value.length;
  if (value instanceof Obj) return visibleNames(value).length;
  if (value instanceof Fn) return value.params.filter(({ optional }) => !optional).length;
  throw new JsonnetError(`a value of type ${typeOf(value)} has no length`);
}

const values = (vm: Vm, from: Obj, hidden: boolean): Lazy[] =>
  names(from, hidden).map((name) => later(vm, () => fieldOf(from, name)));

const pairs = (vm: Vm, from: Obj, hidden: boolean): JsonnetValue =>
  names(from, hidden).map((name) =>
    plainObject(vm, [
      ['key', name],
      ['value', later(vm, () => fieldOf(from, name))],
    ]),
  );

/** RFC 7386, on values that may not be worked out yet. */
function mergePatch(vm: Vm, target: JsonnetValue, patch: JsonnetValue): JsonnetValue {
  if (!(patch instanceof Obj)) return patch;
  const base = target instanceof Obj ? target : plainObject(vm, []);
  const patched = new Set(visibleNames(patch));
  const existing = new Set(visibleNames(base));
  const kept = [...new Set([...existing, ...patched])].filter(
    (name) => !patched.has(name) || fieldOf(patch, name) !== null,
  );
  vm.meter.step(kept.length);
  return plainObject(
    vm,
    kept.map((name) => [
      name,
      later(vm, () => {
        const old = existing.has(name) ? fieldOf(base, name) : null;
        return patched.has(name) ? mergePatch(vm, old, fieldOf(patch, name)) : old;
      }),
    ]),
  );
}

function isContent(value: JsonnetValue): boolean {
  if (isList(value)) return value.length > 0;
  return value instanceof Obj ? visibleNames(value).length > 0 : value !== null;
}

/** Without nulls and without what is empty, all the way down. */
function prune(vm: Vm, value: JsonnetValue): JsonnetValue {
  if (isList(value)) {
    vm.meter.step(value.length);
    return value.map((item) => prune(vm, force(item))).filter(isContent);
  }
  if (!(value instanceof Obj)) return value;
  const fields = visibleNames(value).map((name) => [name, prune(vm, fieldOf(value, name))] as const);
  vm.meter.step(fields.length);
  return plainObject(
    vm,
    fields.filter(([, field]) => isContent(field)),
  );
}

/** The other fields see the new object as `self`; assertions are not kept. */
function removeKey(from: Obj, key: string): Obj {
  const layers = from.layers.map(({ fields, scope }) => {
    const left = new Map(fields);
    left.delete(key);
    return { fields: left, scope };
  });
  return new Obj(layers);
}

function primitiveEquals(vm: Vm, a: JsonnetValue, b: JsonnetValue): boolean {
  if (typeOf(a) !== typeOf(b)) return false;
  if (typeof a === 'object' && a !== null)
    throw new JsonnetError(`values of type ${typeOf(a)} are not primitive`);
  return isEqual(vm, a, b);
}

const isA = (name: string, type: JsonnetTypeName): JsonnetBuiltin => [
  `${name}(v)`,
  (_vm, value = null) => typeOf(value) === type,
];
const field = (value: JsonnetValue): string => asText(value, 'the name of a field');

/** Two functions, one that sees visible fields and one that sees all. */
const both = (name: string, run: (vm: Vm, from: Obj, hidden: boolean) => JsonnetValue): JsonnetBuiltin[] => [
  [`${name}(o)`, (vm, from = null) => run(vm, object(from), false)],
  [`${name}All(o)`, (vm, from = null) => run(vm, object(from), true)],
];

export const objects: readonly JsonnetBuiltin[] = [
  ['type(x)', (_vm, x = null) => typeOf(x)],
  ['length(x)', (_vm, x = null) => length(x)],
  isA('isString', 'string'),
  isA('isNumber', 'number'),
  isA('isBoolean', 'boolean'),
  isA('isObject', 'object'),
  isA('isArray', 'array'),
  isA('isFunction', 'function'),
  ...both('objectFields', (_vm, from, hidden) => names(from, hidden)),
  ...both('objectValues', (vm, from, hidden) => values(vm, from, hidden) as JsonnetValue),
  ...both('objectKeysValues', pairs),
  [
    'objectFieldsEx(obj, hidden)',
    (_vm, from = null, hidden = null) => names(object(from), asBoolean(hidden, 'hidden')),
  ],
  ['objectHas(o, f)', (_vm, from = null, name = null) => has(object(from), field(name), false)],
  ['objectHasAll(o, f)', (_vm, from = null, name = null) => has(object(from), field(name), true)],
  [
    'objectHasEx(obj, fname, hidden)',
    (_vm, from = null, name = null, hidden = null) =>
      has(object(from), field(name), asBoolean(hidden, 'hidden')),
  ],
  ['objectRemoveKey(obj, key)', (_vm, from = null, key = null) => removeKey(object(from), field(key))],
  [
    'mapWithKey(func, obj)',
    (vm, func = null, from = null) => {
      const fn = asFunction(func, 'the function');
      const over = object(from);
      const fields = visibleNames(over).map(
        (name) =>
          [
            name,
            later(vm, () =>
              call(
                vm,
                fn,
                name,
                later(vm, () => fieldOf(over, name)),
              ),
            ),
          ] as const,
      );
      return plainObject(vm, fields);
    },
  ],
  ['mergePatch(target, patch)', (vm, target = null, patch = null) => mergePatch(vm, target, patch)],
  ['prune(a)', (vm, a = null) => prune(vm, a)],
  ['equals(x, y)', (vm, a = null, b = null) => isEqual(vm, a, b)],
  ['primitiveEquals(x, y)', (vm, a = null, b = null) => primitiveEquals(vm, a, b)],
  [
    'assertEqual(a, b)',
    (vm, a = null, b = null) => {
      if (isEqual(vm, a, b)) return true;
      throw new JsonnetError(`an assertion does not hold: ${textOf(vm, a)} is not ${textOf(vm, b)}`);
    },
  ],
];
