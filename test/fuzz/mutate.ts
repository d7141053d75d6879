import {
  isObject,
  type JsonObject,
  type ScalarKind,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';
import type { Random } from './random.ts';

type Key = string | number;

/** One change of a body: what is put at a place; `undefined` takes away what is there. */
export type Edit = { readonly path: readonly Key[]; readonly value: unknown };

/** A place in a body, and the type it has there. */
type Spot = { readonly path: readonly Key[]; readonly value: unknown; readonly type: TypeNode | undefined };

const words = [
  '', 'a', 'b', 'web', 'Web', 'a_b', 'a.b', 'a/b', 'a b', '-a', 'a-', '1', 'x'.repeat(64), 'x'.repeat(254),
  'example.com/a', 'a/b/c', '*', '*.example.com', '10.0.0.1', '10.0.0.0/8', '::1', 'http', '80', '50%', '150%',
  'true', 'é', '$(A)', '/tmp', '../x', 'a:b', 'ClusterIP', 'Always', 'Never', 'None', 'TCP', 'Exists', 'In', 'Delete',
]; // biome-ignore format: a table
const numbers = [
  0, 1, 2, -1, 80, 65535, 65536, 70000, 100, 2147483647, 2147483648, 1.5, 1e3, 9007199254740991,
];
const amounts = ['1', '100m', '0', '-1', '1.5Gi', '1e3', '0.0001', '1Ki', 'abc', '', '100Mi', 1, 2.5];
const times = [
  '2020-01-01T00:00:00Z',
  '2020-01-01',
  '',
  '2020-01-01T00:00:00.5Z',
  '2020-13-01T00:00:00Z',
  'now',
];
const odd = [null, '', 'text', 0, -1, 1.5, true, [], {}, [null], [{}], ['a'], { a: 'b' }, [1], { a: 1 }];

const scalars: Readonly<Record<ScalarKind, readonly unknown[]>> = {
  string: words,
  boolean: [true, false],
  int32: numbers,
  int64: numbers,
  number: numbers,
  bytes: ['YQ==', '', 'YQ', 'ä', 'YWI='],
  time: times,
  'micro-time': times,
  duration: ['1s', '', '1h', 'x'],
  quantity: amounts,
  'int-or-string': [...numbers, '50%', '150%', 'http', '', '-1%', '1'],
};

/** One to three changes that somebody could have made by mistake, most of them of the right type. */
export function editsOf(random: Random, body: JsonObject, type: StructType | undefined): Edit[] {
  const spots = spotsIn(body, type).filter(({ path }) => isWorthwhile(path));
  const count = random.pick([1, 1, 1, 2, 3]);
  return Array.from({ length: count }, () => editOf(random, spots));
}

/** The identity of the object stays, or nothing but "not found" would be compared. */
function isWorthwhile([first, second]: readonly Key[]): boolean {
  return first !== 'kind' && first !== 'apiVersion' && !(first === 'metadata' && second === 'name');
}

function spotsIn(value: unknown, type: TypeNode | undefined, path: readonly Key[] = []): Spot[] {
  const own = { path, value, type };
  if (Array.isArray(value)) {
    const items = type?.kind === 'list' ? type.items : undefined;
    return [own, ...value.flatMap((item, at) => spotsIn(item, items, [...path, at]))];
  }
  if (!isObject(value)) return [own];
  return [
    own,
    ...Object.entries(value).flatMap(([key, item]) => spotsIn(item, inside(type, key), [...path, key])),
  ];
}

function inside(type: TypeNode | undefined, key: string): TypeNode | undefined {
  if (type?.kind === 'map') return type.values;
  return type?.kind === 'struct' ? type.fields.get(key)?.type : undefined;
}

function editOf(random: Random, spots: readonly Spot[]): Edit {
  const spot = random.pick(spots);
  const { path, value, type } = spot;
  const choice = random.next();
  if (type?.kind === 'struct' && choice < 0.75) return added(random, spot, type);
  if (Array.isArray(value) && choice < 0.5)
    return { path: [...path, value.length], value: another(random, spot) };
  if (isObject(value) && choice < 0.3)
    return { path: [...path, random.pick(words)], value: random.pick(words) };
  if (path.length === 0) return { path: ['spec'], value: random.pick(odd) };
  if (choice < 0.45) return { path, value: undefined };
  if (choice < 0.6 || !type) return { path, value: random.pick(odd) };
  return { path, value: made(random, type, 2) };
}

/** A field that is not there yet, known to the type or not. */
function added(random: Random, { path, value }: Spot, type: StructType): Edit {
  const missing = [...type.fields].filter(([name]) => !isObject(value) || value[name] === undefined);
  const free = path.length === 0 ? missing.filter(([name]) => name !== 'status') : missing;
  if (free.length === 0 || random.chance(0.05))
    return { path: [...path, 'unheardOf'], value: random.pick(odd) };
  const [name, field] = random.pick(free);
  return { path: [...path, name], value: made(random, field.type, 2) };
}

function another(random: Random, { value, type }: Spot): unknown {
  const [first] = value as unknown[];
  if (first !== undefined && random.chance(0.5)) return first;
  return type?.kind === 'list' ? made(random, type.items, 2) : random.pick(odd);
}

/** A value of the type, shallow, mostly sensible. */
function made(random: Random, type: TypeNode, depth: number): unknown {
  if (type.kind === 'scalar') return random.pick(scalars[type.scalar]);
  if (type.kind === 'list') return depth === 0 ? [] : [made(random, type.items, depth - 1)];
  if (type.kind === 'any') return random.pick(odd);
  if (type.kind === 'map')
    return depth === 0 ? {} : { [random.pick(words)]: made(random, type.values, depth - 1) };
  const fields = [...type.fields];
  if (depth === 0 || fields.length === 0) return {};
  const some = Array.from({ length: random.pick([1, 2, 3]) }, () => random.pick(fields));
  return Object.fromEntries(some.map(([name, field]) => [name, made(random, field.type, depth - 1)]));
}

/** A copy of the body with the changes made, one after the other; those that find nothing there are passed over. */
export function edited(body: JsonObject, edits: readonly Edit[]): JsonObject {
  const copy = structuredClone(body);
  for (const { path, value } of edits) put(copy, path, structuredClone(value));
  return copy;
}

function put(root: unknown, path: readonly Key[], value: unknown): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<Key, unknown>)?.[key], root);
  const last = path.at(-1);
  if (typeof parent !== 'object' || parent === null || last === undefined) return;
  if (value !== undefined) (parent as Record<Key, unknown>)[last] = value;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as Record<Key, unknown>)[last];
}

/** The same changes as a merge patch. Lists are whole there. */
export function mergePatchOf(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[key], after[key]];
    if (is === undefined) patch[key] = null;
    else if (isObject(was) && isObject(is)) {
      const inner = mergePatchOf(was, is);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (JSON.stringify(was) !== JSON.stringify(is)) patch[key] = is;
  }
  return patch;
}

/** The same changes as operations of a JSON patch. */
export function operationsOf(edits: readonly Edit[]): JsonObject[] {
  return edits.map(({ path, value }) => {
    const pointer = path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    return value === undefined ? { op: 'remove', path: pointer } : { op: 'add', path: pointer, value };
  });
}
