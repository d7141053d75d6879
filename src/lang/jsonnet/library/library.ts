import {
  type FieldDef,
  JsonnetFrame,
  type JsonnetValue,
  type Layer,
  type Lazy,
  Obj,
  type Vm,
} from '../value.ts';
import { arrays } from './arrays.ts';
import { lazyNative, native } from './define.ts';
import { encodings } from './encodings.ts';
import { host, lazyHost } from './host.ts';
import { numbers } from './numbers.ts';
import { objects } from './objects.ts';
import { printing } from './printing.ts';
import { sets } from './sets.ts';
import { strings } from './strings.ts';

const groups = [objects, arrays, sets, strings, numbers, encodings, printing, host];
const hidden = (value: JsonnetValue): FieldDef => ({ visibility: 'hidden', value: { code: () => value } });

const fields: ReadonlyMap<string, FieldDef> = new Map<string, FieldDef>([
  ...groups.flat().map((one): [string, FieldDef] => {
    const [name, fn] = native(one);
    return [name, hidden(fn)];
  }),
  ...lazyHost.map((one): [string, FieldDef] => {
    const [name, fn] = lazyNative(one);
    return [name, hidden(fn)];
  }),
  ['pi', hidden(Math.PI)],
]);

/** The object `std` as the file at `path` sees it. */
export function libraryFor(vm: Vm, path: string): Obj {
  const scope: Layer['scope'] = (self, layer) =>
    new JsonnetFrame(undefined, [] as Lazy[], vm, { self, layer });
  return new Obj([
    { fields, scope },
    { fields: new Map([['thisFile', hidden(path)]]), scope },
  ]);
}
