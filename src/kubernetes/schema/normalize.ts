import { findType } from './resources.ts';
import { isEmpty, printScalar, zeroOf } from './round-trip.ts';
import { fits } from './strict.ts';
import { isObject, type JsonObject, type SchemaField, type StructType, type TypeNode } from './type-node.ts';

/**
 * compat engine D-4: a built-in object without unknown fields in its canonical spelling, with only the keys
 * it came with; anything else stays unchanged. An object that is canonical already is returned itself.
 */
export function normalizeBuiltin<T extends JsonObject>(object: T): T {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return object;
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const type = findType({ group, version: apiVersion.slice(slash + 1), kind });
  const normal = type === undefined ? undefined : normalStruct(object, type);
  return normal === undefined ? object : (normal as T);
}

// Everything below returns undefined for a value that does not fit its type: then the whole object is left
// alone.

function normalStruct(value: JsonObject, type: StructType): JsonObject | undefined {
  const kept: JsonObject = {};
  let isChanged = false;
  for (const name of Object.keys(value)) {
    const field = type.fields.get(name);
    if (field === undefined) return undefined;
    const next = normalField(value[name], field);
    if (next === undefined) return undefined;
    isChanged ||= next !== value[name];
    if (next !== omitted) kept[name] = next;
  }
  return isChanged ? kept : value;
}

const omitted = Symbol('left out');

function normalField(value: unknown, { type, pointer, omitEmpty }: SchemaField): unknown {
  if (value === null || value === undefined) {
    if (omitEmpty) return omitted;
    return pointer ? null : zeroOf(type);
  }
  const normal = normalValue(value, type);
  return omitEmpty && !pointer && isEmpty(normal, type) ? omitted : normal;
}

function normalValue(value: unknown, type: TypeNode): unknown {
  if (!fits(value, type)) return undefined;
  if (type.kind === 'scalar') return printScalar(value, type.scalar);
  if (type.kind === 'list') return normalItems(value as unknown[], type.items);
  if (type.kind === 'map') return normalMap(value as JsonObject, type.values);
  return type.kind === 'struct' && isObject(value) ? normalStruct(value, type) : value;
}

const normalItem = (value: unknown, type: TypeNode): unknown =>
  value === null || value === undefined ? zeroOf(type) : normalValue(value, type);

function normalItems(items: unknown[], type: TypeNode): unknown[] | undefined {
  const normal = items.map((item) => normalItem(item, type));
  if (normal.includes(undefined)) return undefined;
  return normal.some((item, index) => item !== items[index]) ? normal : items;
}

function normalMap(map: JsonObject, type: TypeNode): JsonObject | undefined {
  const names = Object.keys(map);
  const normal = names.map((name) => normalItem(map[name], type));
  if (normal.includes(undefined)) return undefined;
  if (normal.every((value, index) => value === map[names[index] ?? ''])) return map;
  return Object.fromEntries(names.map((name, index) => [name, normal[index]]));
}
