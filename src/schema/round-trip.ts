import { canonicalQuantity, quantityOf } from '#model';
import {
  type Field,
  isObject,
  type JsonObject,
  type ScalarKind,
  type StructType,
  type TypeNode,
} from './type-node.ts';

/**
 * A built-in object after Go's decoder and encoder: unknown fields gone, empty optional fields left out, structs
 * held by value always printed (`resources: {}`), quantities and times canonical. Mistyped values are left as they are.
 */
export function roundTrip(object: JsonObject, type: StructType): JsonObject {
  return printStruct(object, type);
}

function printStruct(value: JsonObject, type: StructType): JsonObject {
  const printed: JsonObject = {};
  for (const name of Object.keys(value)) {
    const field = type.fields.get(name);
    if (field === undefined) continue;
    const next = printField(value[name] ?? undefined, field);
    if (next !== undefined) printed[name] = next;
  }
  for (const field of alwaysPrinted(type)) {
    if (!Object.hasOwn(value, field.name)) printed[field.name] = printField(undefined, field);
  }
  return printed;
}

const alwaysPrintedFields = new WeakMap<StructType['fields'], readonly Field[]>();

function alwaysPrinted({ fields }: StructType): readonly Field[] {
  const known = alwaysPrintedFields.get(fields);
  if (known !== undefined) return known;
  const found = [...fields.values()].filter((field) => !field.omitEmpty);
  alwaysPrintedFields.set(fields, found);
  return found;
}

/** undefined is what JSON null and a missing key decode to; undefined as a result leaves the field out. */
function printField(value: unknown, field: Field): unknown {
  if (value === undefined && field.pointer) return field.omitEmpty ? undefined : null;
  const printed = value === undefined ? zeroOf(field.type) : printValue(value, field.type);
  const isDropped = field.omitEmpty && !field.pointer && isEmpty(printed, field.type);
  return isDropped ? undefined : printed;
}

/** What Go's encoder leaves out when a field says omitempty. */
export function isEmpty(value: unknown, type: TypeNode): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  // Go never calls a struct empty; the few fields that say omitzero hold none of the always-printed kind
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
  if (type.kind === 'list' && Array.isArray(value)) return value.map((item) => printItem(item, type.items));
  return value;
}

const printItem = (value: unknown, type: TypeNode): unknown =>
  value === null || value === undefined ? zeroItem(type) : printValue(value, type);

/** An item cannot be left out: no bytes are none at all. */
const zeroItem = (type: TypeNode): unknown =>
  type.kind === 'scalar' && type.scalar === 'bytes' ? '' : zeroOf(type);

function printMap(value: JsonObject, type: TypeNode): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, printItem(item, type)]));
}

/** The canonical spelling of a scalar; a mistyped one is left as it is. */
export function printScalar(value: unknown, scalar: ScalarKind): unknown {
  if (scalar === 'quantity') {
    const quantity = quantityOf(value);
    return quantity === undefined ? value : canonicalQuantity(quantity);
  }
  if (scalar === 'bytes') return typeof value === 'string' ? value.replace(/[\r\n]/g, '') : value;
  if (scalar === 'time') return canonicalTime(value, 0);
  if (scalar === 'micro-time') return canonicalTime(value, 6);
  return value;
}

const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Times are printed in UTC, with no fraction of a second or with exactly `digits` of it. */
function canonicalTime(value: unknown, digits: number): unknown {
  if (typeof value !== 'string') return value;
  const [, seconds, fraction = '', zone] = timePattern.exec(value) ?? [];
  if (seconds === undefined || zone === undefined) return value;
  const at = new Date(`${seconds}${zone}`);
  if (Number.isNaN(at.getTime())) return value;
  const tail = digits === 0 ? '' : `.${fraction.padEnd(digits, '0').slice(0, digits)}`;
  return `${at.toISOString().slice(0, 19)}${tail}Z`;
}
