import { isObject, type JsonObject, type StructType, type TypeNode } from './type-node.ts';
import { fieldType, itemType } from './walk.ts';

/**
 * A custom resource with its schema's defaults filled in. A null that is not nullable is replaced by the default, or
 * dropped where there is none. Same value back if nothing changed; safe to repeat.
 */
export function applySchemaDefaults<T>(value: T, type: TypeNode): T {
  return fill(value, type) as T;
}

function fill(value: unknown, type: TypeNode): unknown {
  if (type.kind === 'scalar' || type.kind === 'any') return value;
  if (Array.isArray(value)) return fillItems(value, itemType(type));
  return isObject(value) ? fillFields(value, type) : value;
}

const isRefusedNull = (value: unknown, type: TypeNode): boolean => value === null && type.nullable !== true;

function fillItems(items: unknown[], type: TypeNode): unknown[] {
  const filled = items.map((item) =>
    // compat cluster 3.15: a list keeps its length, so a null without a default stays
    isRefusedNull(item, type) && type.default !== undefined ? fill(type.default, type) : fill(item, type),
  );
  return filled.some((item, index) => item !== items[index]) ? filled : items;
}

function fillFields(fields: JsonObject, type: TypeNode): JsonObject {
  const entries = Object.entries(fields);
  const filled = entries.flatMap(([name, value]) => fillField(name, value, type));
  if (type.kind === 'struct') filled.push(...missing(fields, type));
  const isSame = filled.length === entries.length && filled.every(([name, value]) => fields[name] === value);
  return isSame ? fields : Object.fromEntries(filled);
}

function fillField(name: string, value: unknown, type: TypeNode): [string, unknown][] {
  const declared = fieldType(type, name);
  if (declared === undefined) return [[name, value]];
  if (!isRefusedNull(value, declared)) return [[name, fill(value, declared)]];
  // a struct's own fields are added by missing(); the value of a map is replaced where it stands
  if (type.kind !== 'map' || declared.default === undefined) return [];
  return [[name, fill(declared.default, declared)]];
}

function missing(fields: JsonObject, type: StructType): [string, unknown][] {
  const added: [string, unknown][] = [];
  for (const [name, field] of type.fields) {
    if (field.type.default === undefined) continue;
    const isAbsent = !Object.hasOwn(fields, name) || isRefusedNull(fields[name], field.type);
    if (isAbsent) added.push([name, fill(field.type.default, field.type)]);
  }
  return added;
}
