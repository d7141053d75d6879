import { JsonnetError } from './fault.ts';
import { fieldOf, visibleNames } from './print-json.ts';
import { Fn, force, isList, type JsonnetValue, type Lazy, Obj, type Vm } from './value.ts';

/** A JSON value; numbers are finite. */
export type JsonnetJson =
  | null
  | boolean
  | number
  | string
  | readonly JsonnetJson[]
  | { readonly [name: string]: JsonnetJson };

/** A value and all within it, worked out. `where` is the way to it, for messages. */
export function manifest(vm: Vm, value: JsonnetValue, where = 'the result'): JsonnetJson {
  vm.meter.output(typeof value === 'string' ? value.length + 16 : 16);
  if (isList(value)) return value.map((item, i) => below(vm, item, `${where}[${i}]`));
  if (value instanceof Fn) throw new JsonnetError(`${where} is a function, which JSON cannot hold`);
  if (!(value instanceof Obj)) return value;
  value.check();
  return Object.fromEntries(
    visibleNames(value).map((name) => {
      vm.meter.output(name.length);
      return [name, manifest(vm, fieldOf(value, name), `${where}.${name}`)];
    }),
  );
}

const below = (vm: Vm, item: Lazy, where: string): JsonnetJson => manifest(vm, force(item), where);
