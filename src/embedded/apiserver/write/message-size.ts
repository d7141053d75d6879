import { printJson } from '#base/std';
import {
  isObject,
  type ScalarKind,
  type SchemaField,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';
import type { Item } from '../item.ts';

/** The size of a number as a varint. */
export function varintSize(value: number): number {
  if (value < 0) return 10;
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
}

/** The size of a length-delimited field, with its number and its length. */
export const lengthened = (size: number): number => 1 + varintSize(size) + size;

const textSize = (text: string): number => Buffer.byteLength(text);

/**
 * The size of a built-in object as protobuf, including its envelope. An approximation: for embedded Go structs and
 * for absent fields it may be some bytes off.
 */
export function messageSize({ apiVersion, kind, ...rest }: Item, type: StructType): number {
  const head = lengthened(lengthened(textSize(apiVersion)) + lengthened(textSize(kind)));
  const emptyMarks = 4;
  return magicSize + head + lengthened(structSize(rest, type)) + emptyMarks;
}

const magicSize = 4;

function structSize(object: Readonly<Record<string, unknown>>, { fields }: StructType): number {
  let size = 0;
  for (const field of fields.values()) size += fieldSize(object[field.name], field);
  return size;
}

function fieldSize(value: unknown, { type, pointer, proto, name }: SchemaField): number {
  if (proto.length === 0 || name === 'resourceVersion') return 0;
  // Go writes fields held by value, zero or not
  if (value === undefined || value === null) return pointer || type.kind !== 'scalar' ? 0 : 2;
  const wide = (proto.at(-1) ?? 0) > 15 ? 1 : 0;
  return sum(entriesOf(value, type), (size) => wide + size);
}

/** The sizes of all entries of one field: lists and maps repeat its number for each of their items. */
function entriesOf(value: unknown, type: TypeNode): readonly number[] {
  if (type.kind === 'list' && Array.isArray(value)) return value.map((item) => entry(item, type.items));
  if (type.kind !== 'map' || !isObject(value)) return [entry(value, type)];
  return Object.keys(value).map((key) =>
    lengthened(lengthened(textSize(key)) + entry(value[key], type.values)),
  );
}

/** One value with its number, and its length where it has one. */
function entry(value: unknown, type: TypeNode): number {
  if (type.kind === 'scalar') return scalarSize(value, type.scalar);
  if (type.kind === 'struct') return lengthened(isObject(value) ? structSize(value, type) : 0);
  if (type.kind === 'list' && Array.isArray(value)) {
    return lengthened(sum(value, (item) => entry(item, type.items))); // a list needs a message around it
  }
  return lengthened(lengthened(textSize(printJson(value)))); // JSON inside
}

function scalarSize(value: unknown, kind: ScalarKind): number {
  const text = String(value);
  switch (kind) {
    case 'string':
      return lengthened(textSize(text));
    case 'bytes':
      return lengthened(Math.floor((text.length * 3) / 4));
    case 'boolean':
      return 2;
    case 'number':
      return 9;
    case 'int32':
    case 'int64':
      return 1 + varintSize(Number(value));
    case 'quantity':
      return lengthened(lengthened(textSize(text)));
    case 'int-or-string':
      return typeof value === 'number'
        ? lengthened(5 + varintSize(value))
        : lengthened(4 + lengthened(textSize(text)));
    default:
      return lengthened(8); // a time or a duration
  }
}

function sum<T>(items: readonly T[], size: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += size(item);
  return total;
}
