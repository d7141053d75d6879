import { anyType, isObject, type TypeNode } from '#kubernetes/schema';
import { fieldElement } from './element.ts';
import type { FieldSet } from './field-set.ts';
import { childType, itemElement, type OwnedList, shapeOf } from './shape.ts';

/**
 * The value without the given fields. A value that loses all its contents becomes null; removing inside an
 * atom removes it all.
 */
export function removeFields(value: unknown, type: TypeNode, fields: FieldSet): unknown {
  const shape = shapeOf(type, value);
  if (shape.kind === 'map') return isObject(value) ? removeFromMap(value, shape.type, fields) : null;
  if (shape.kind === 'list') return Array.isArray(value) ? removeFromList(value, shape.list, fields) : null;
  return typeof value === 'object' ? null : value;
}

function removeFromMap(value: Record<string, unknown>, type: TypeNode, fields: FieldSet): unknown {
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const element = fieldElement(name);
    if (fields.members.has(element)) continue;
    const below = fields.children.get(element);
    kept.push([
      name,
      below === undefined ? field : removeFields(field, childType(type, name) ?? anyType, below),
    ]);
  }
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function removeFromList(value: readonly unknown[], list: OwnedList, fields: FieldSet): unknown {
  const kept: unknown[] = [];
  for (const item of value) {
    const element = itemElement(item, list);
    if (fields.members.has(element)) continue;
    const below = fields.children.get(element);
    kept.push(below === undefined ? item : removeFields(item, list.items, below));
  }
  return kept.length === 0 ? null : kept;
}

/** The value with only the given fields; an atom is kept whole. undefined when nothing of it is named. */
export function extractFields(value: unknown, type: TypeNode, fields: FieldSet): unknown {
  const shape = shapeOf(type, value);
  if (shape.kind === 'map' && isObject(value)) return extractFromMap(value, shape.type, fields);
  if (shape.kind === 'list' && Array.isArray(value)) return extractFromList(value, shape.list, fields);
  return value;
}

function extractFromMap(value: Record<string, unknown>, type: TypeNode, fields: FieldSet): unknown {
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const element = fieldElement(name);
    const below = fields.children.get(element);
    if (below !== undefined) {
      kept.push([name, extractFields(field, childType(type, name) ?? anyType, below)]);
    } else if (fields.members.has(element)) kept.push([name, field]);
  }
  const isWhole = Object.keys(value).length === 0;
  return kept.length === 0 && !isWhole ? undefined : Object.fromEntries(kept);
}

function extractFromList(value: readonly unknown[], list: OwnedList, fields: FieldSet): unknown {
  const kept: unknown[] = [];
  for (const item of value) {
    const element = itemElement(item, list);
    const below = fields.children.get(element);
    if (below !== undefined) kept.push(extractFields(item, list.items, below));
    else if (fields.members.has(element)) kept.push(item);
  }
  return kept.length === 0 && value.length > 0 ? undefined : kept;
}
