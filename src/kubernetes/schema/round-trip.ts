import { canonicalQuantity, quantityOf } from '#base/model';
import { Lru } from '#base/std';
import {
  isObject,
  type JsonObject,
  type ScalarKind,
  type SchemaField,
  type StructType,
  type TypeNode,
} from './type-node.ts';

/**
 * A built-in object after Go's decoder and encoder: unknown fields gone, empty optional fields left out,
 * non-pointer structs always printed (`resources: {}`), quantities and times canonical. Mistyped values are
 * left as they are. Unchanged parts are not copied: an object that is canonical already is returned itself.
 */
export function roundTrip(object: JsonObject, type: StructType): JsonObject {
  return printStruct(object, type);
}

function printStruct(value: JsonObject, type: StructType): JsonObject {
  let copy: JsonObject | undefined;
  const names = Object.keys(value);
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as string;
    const field = type.fields.get(name);
    const next = field && printField(value[name] ?? undefined, field);
    if (copy === undefined && next === value[name] && next !== undefined) continue;
    copy ??= firstOf(value, names, at);
    if (next !== undefined) copy[name] = next;
  }
  for (const field of alwaysPrinted(type)) {
    if (Object.hasOwn(value, field.name)) continue;
    copy ??= { ...value };
    copy[field.name] = printField(undefined, field);
  }
  return copy ?? value;
}

/** A copy that ends before the field at `end`. */
function firstOf(value: JsonObject, names: readonly string[], end: number): JsonObject {
  const copy: JsonObject = {};
  for (let at = 0; at < end; at++) copy[names[at] as string] = value[names[at] as string];
  return copy;
}

const alwaysPrintedFields = new WeakMap<StructType['fields'], readonly SchemaField[]>();

function alwaysPrinted({ fields }: StructType): readonly SchemaField[] {
  const known = alwaysPrintedFields.get(fields);
  if (known !== undefined) return known;
  const found = [...fields.values()].filter((field) => !field.omitEmpty);
  alwaysPrintedFields.set(fields, found);
  return found;
}

/** undefined is what JSON null and a missing key decode to; undefined as a result leaves the field out. */
function printField(value: unknown, field: SchemaField): unknown {
  if (value === undefined && field.pointer) return field.omitEmpty ? undefined : null;
  const printed = value === undefined ? zeroOf(field.type) : printValue(value, field.type);
  const isDropped = field.omitEmpty && !field.pointer && isEmpty(printed, field.type);
  return isDropped ? undefined : printed;
}

/** The values that Go's encoder leaves out of a field with omitempty. */
export function isEmpty(value: unknown, type: TypeNode): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  // Go never treats a struct as empty; the few fields with omitzero contain none of the always-printed kind
  return (
    (type.kind === 'map' || type.kind === 'struct') && isObject(value) && Object.keys(value).length === 0
  );
}

/** How a field that was never set is printed. */
export function zeroOf(type: TypeNode): unknown {
  if (type.kind === 'struct') return printStruct({}, type);
  if (type.kind !== 'scalar') return null;
  switch (type.scalar) {
    case 'string':
      return '';
    case 'int32':
    case 'int64':
    case 'number':
    case 'int-or-string':
      return 0;
    case 'boolean':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    default:
      return null;
  }
}

function printValue(value: unknown, type: TypeNode): unknown {
  if (type.kind === 'scalar') return printScalar(value, type.scalar);
  if (type.kind === 'struct') return isObject(value) ? printStruct(value, type) : value;
  if (type.kind === 'map') return isObject(value) ? printMap(value, type.values) : value;
  if (type.kind === 'list' && Array.isArray(value)) return printList(value, type.items);
  return value;
}

const printItem = (value: unknown, type: TypeNode): unknown =>
  value === null || value === undefined ? zeroItem(type) : printValue(value, type);

/** An item cannot be left out: no bytes are none at all. */
const zeroItem = (type: TypeNode): unknown =>
  type.kind === 'scalar' && type.scalar === 'bytes' ? '' : zeroOf(type);

function printList(items: readonly unknown[], type: TypeNode): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [at, item] of items.entries()) {
    const next = printItem(item, type);
    if (next === item) continue;
    copy ??= [...items];
    copy[at] = next;
  }
  return copy ?? items;
}

function printMap(value: JsonObject, type: TypeNode): JsonObject {
  let copy: JsonObject | undefined;
  for (const name of Object.keys(value)) {
    const next = printItem(value[name], type);
    if (next === value[name]) continue;
    copy ??= { ...value };
    copy[name] = next;
  }
  return copy ?? value;
}

/** The canonical spelling of a scalar; a mistyped one is left as it is. */
export function printScalar(value: unknown, scalar: ScalarKind): unknown {
  if (scalar === 'quantity') return typeof value === 'string' ? spelled(value) : inQuantities(value);
  if (scalar === 'bytes') return typeof value === 'string' ? value.replace(/[\r\n]/g, '') : value;
  if (scalar === 'time') return canonicalTime(value, 0);
  if (scalar === 'micro-time') return canonicalTime(value, 6);
  return value;
}

/** The same few quantities are everywhere. */
const spellings = new Lru<unknown>({ capacity: 512 });

function spelled(text: string): unknown {
  const known = spellings.get(text);
  if (known !== undefined) return known;
  const spelling = inQuantities(text);
  spellings.set(text, spelling);
  return spelling;
}

function inQuantities(value: unknown): unknown {
  const quantity = quantityOf(value);
  return quantity === undefined ? value : canonicalQuantity(quantity);
}

/** Days that every month has: what is written so needs no calendar. */
const plainTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Times are printed in UTC, with no fraction of a second or with exactly `digits` of it. */
function canonicalTime(value: unknown, digits: number): unknown {
  if (typeof value !== 'string' || (digits === 0 && plainTime.test(value))) return value;
  const [, seconds, fraction = '', zone] = timePattern.exec(value) ?? [];
  if (seconds === undefined || zone === undefined) return value;
  const at = new Date(`${seconds}${zone}`);
  if (Number.isNaN(at.getTime())) return value;
  const tail = digits === 0 ? '' : `.${fraction.padEnd(digits, '0').slice(0, digits)}`;
  return `${at.toISOString().slice(0, 19)}${tail}Z`;
}
