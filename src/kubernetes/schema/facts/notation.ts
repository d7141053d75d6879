/**
 * How the tables are read. A line is a Go struct: its name, `@.` if it is atomic, then its fields:
 *
 *     name:type flags #proto @list ~patch =default
 *
 * type     s string · b boolean · i int32 · l int64 · d double · B bytes · T time · M time with microseconds ·
 *          D duration · Q quantity · X int-or-string · R anything, as one atom · J, Ja, Jb, Js anything (JSON; a schema or
 *          an array, a boolean, strings) · [t list · {t map · Name or group.version.Name
 * flags    ^ pointer · ? left out when empty · ! required
 * #2.4     protobuf field 4 of the embedded struct that is field 2
 * @        a,b list keyed by a and b · * set · . atomic map · + a struct that is not atomic here
 * ~        key merge by key · * merge as a set · ! replace · %key also retainKeys
 * =TCP     what a missing list key stands for
 */
import {
  anyType,
  type ListType,
  type ScalarKind,
  type SchemaField,
  type StructType,
  type TypeNode,
} from '../type-node.ts';

const scalars: Record<string, ScalarKind> = {
  s: 'string',
  b: 'boolean',
  i: 'int32',
  l: 'int64',
  d: 'number',
  B: 'bytes',
  T: 'time',
  M: 'micro-time',
  D: 'duration',
  Q: 'quantity',
  X: 'int-or-string',
};

const scalarTypes = new Map<string, TypeNode>(
  Object.entries(scalars).map(([letter, scalar]) => [letter, { kind: 'scalar', scalar }]),
);
for (const name of ['J', 'Ja', 'Jb', 'Js']) scalarTypes.set(name, anyType);
scalarTypes.set('R', { kind: 'any', atomic: true });

const fieldPattern = /^([^:]+):([^?^!#@~=]+)([?^!]*)(?:#([\d.]+))?(?:@([^~=]+))?(?:~([^=]+))?(?:=(.*))?$/;

/** Finds a struct by its key, `core.v1.Container`. */
export type Resolve = (key: string) => StructType;

function typeOf(token: string, home: string, resolve: Resolve): TypeNode {
  const rest = token.slice(1);
  if (token.startsWith('['))
    return { kind: 'list', items: typeOf(rest, home, resolve), merge: 'atomic', keys: [] };
  if (token.startsWith('{')) return { kind: 'map', values: typeOf(rest, home, resolve), atomic: false };
  return scalarTypes.get(token) ?? resolve(token.includes('.') ? token : `${home}.${token}`);
}

function listBy(list: ListType, topology: string): ListType {
  if (topology === '*') return { ...list, merge: 'set' };
  return { ...list, merge: 'keyed', keys: topology.split(',') };
}

/** The same struct as one unit, or not as one: a copy would read the recursive field table too early. */
function structAs(struct: StructType, atomic: boolean): StructType {
  return {
    kind: 'struct',
    name: struct.name,
    atomic,
    open: struct.open,
    get fields() {
      return struct.fields;
    },
  };
}

function withTopology(type: TypeNode, topology: string | undefined): TypeNode {
  if (topology === undefined) return type;
  if (type.kind === 'list') return listBy(type, topology);
  if (type.kind === 'map') return { ...type, atomic: true };
  return type.kind === 'struct' ? structAs(type, topology !== '+') : type;
}

type PatchFacts = Pick<SchemaField, 'patch' | 'retainKeys'> & { mergeKey?: string };

function patchOf(token: string | undefined): PatchFacts {
  if (token === undefined) return { patch: 'default', retainKeys: false };
  if (token === '!') return { patch: 'replace', retainKeys: false };
  if (token === '%') return { patch: 'default', retainKeys: true };
  if (token === '*') return { patch: 'merge', retainKeys: false };
  const retainKeys = token.startsWith('%');
  return { patch: 'merge', retainKeys, mergeKey: retainKeys ? token.slice(1) : token };
}

const zeros: Partial<Record<ScalarKind, string | number | boolean>> = {
  string: '',
  int32: 0,
  int64: 0,
  boolean: false,
};

/** Kubernetes publishes the zero value as the default of a required scalar. */
function keyDefaultOf(type: TypeNode, required: boolean, written: string | undefined): Partial<SchemaField> {
  if (type.kind !== 'scalar') return {};
  if (written !== undefined && type.scalar === 'string') return { keyDefault: written };
  const zero = zeros[type.scalar];
  return required && zero !== undefined ? { keyDefault: zero } : {};
}

function readField(token: string, home: string, resolve: Resolve): SchemaField {
  const [, name = '', type = '', flags = '', proto, topology, patch, written] =
    fieldPattern.exec(token) ?? [];
  const node = withTopology(typeOf(type, home, resolve), topology);
  const required = flags.includes('!');
  return {
    name,
    type: node,
    required,
    pointer: flags.includes('^'),
    omitEmpty: flags.includes('?'),
    ...patchOf(patch),
    ...keyDefaultOf(node, required, written),
    proto: proto === undefined ? [] : proto.split('.').map(Number),
  };
}

/** The fields of one line; `home` is the package the line stands under, where bare names are looked up. */
export function readFields(text: string, home: string, resolve: Resolve): ReadonlyMap<string, SchemaField> {
  const fields = new Map<string, SchemaField>();
  for (const token of text.split(' ')) {
    if (token === '') continue;
    const field = readField(token, home, resolve);
    fields.set(field.name, field);
  }
  return fields;
}
