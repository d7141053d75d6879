import { parseJson } from '#base/std';
import type { JsonObject, ListType, ScalarKind, SchemaField, StructType, TypeNode } from '#kubernetes/schema';
import { badRequest } from '../status.ts';

/** The type of a protobuf body, and its undecoded message. */
export type Envelope = { readonly apiVersion: string; readonly kind: string; readonly raw: Uint8Array };

const utf8 = new TextDecoder('utf-8', { fatal: true });
const magic = [0x6b, 0x38, 0x73, 0x00];

/**
 * Opens a body of `application/vnd.kubernetes.protobuf` (contract cluster 2.4). Throws BadRequest when it is
 * invalid.
 */
export function openEnvelope(body: Uint8Array): Envelope {
  if (magic.some((byte, index) => body[index] !== byte)) {
    throw badRequest(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  }
  const { 1: meta = [], 2: raw = [] } = entries(new Reader(body.subarray(4)));
  const { 1: apiVersion = [], 2: kind = [] } = entries(new Reader(bytesOf(meta[0])));
  return { apiVersion: textOf(apiVersion[0]), kind: textOf(kind[0]), raw: bytesOf(raw[0]) };
}

/** The message as the JSON object that a JSON client would have sent. */
export function readMessage({ raw, apiVersion, kind }: Envelope, type: StructType): JsonObject {
  return { apiVersion, kind, ...struct(new Reader(raw), type) };
}

type Value = bigint | Uint8Array | number;

/** The wire format: numbered fields, each a varint, eight or four bytes, or a length and that many bytes. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  field(): { readonly number: number; readonly value: Value } {
    const tag = Number(this.varint());
    return { number: tag >>> 3, value: this.#value(tag & 7) };
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw truncated();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw truncated();
  }

  #value(wire: number): Value {
    if (wire === 0) return this.varint();
    if (wire === 1) return new DataView(this.#take(8).slice().buffer).getFloat64(0, true);
    if (wire === 5) return new DataView(this.#take(4).slice().buffer).getFloat32(0, true);
    if (wire === 2) return this.#take(Number(this.varint()));
    throw badRequest(`protobuf: wire type ${wire} is not supported`);
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw truncated();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

const truncated = (): Error => badRequest('protobuf: unexpected end of the message');

/** All values by field number. */
function entries(reader: Reader): Record<number, Value[]> {
  const all: Record<number, Value[]> = {};
  while (!reader.done) {
    const { number, value } = reader.field();
    const known = all[number];
    if (known) known.push(value);
    else all[number] = [value];
  }
  return all;
}

const bytesOf = (value: Value | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array();
const textOf = (value: Value | undefined): string => utf8.decode(bytesOf(value));
const numberOf = (value: Value | undefined): number => Number(value ?? 0);

/** Fields by number; structs that Go embeds are messages here and do not exist in JSON. */
type Numbers = Map<number, SchemaField | Numbers>;
const tables = new WeakMap<StructType, Numbers>();

function numbersOf(type: StructType): Numbers {
  let table = tables.get(type);
  if (!table) {
    table = new Map();
    for (const field of type.fields.values()) enter(table, field);
    tables.set(type, table);
  }
  return table;
}

function enter(table: Numbers, field: SchemaField): void {
  let level = table;
  for (const number of field.proto.slice(0, -1)) {
    const inner = level.get(number);
    const next: Numbers = inner instanceof Map ? inner : new Map();
    level.set(number, next);
    level = next;
  }
  const last = field.proto.at(-1);
  if (last !== undefined) level.set(last, field);
}

function struct(reader: Reader, type: StructType): JsonObject {
  const object: JsonObject = {};
  fill(object, reader, numbersOf(type));
  return object;
}

function fill(object: JsonObject, reader: Reader, table: Numbers): void {
  for (const [number, values] of Object.entries(entries(reader))) {
    const known = table.get(Number(number));
    if (known instanceof Map) for (const value of values) fill(object, new Reader(bytesOf(value)), known);
    else if (known) keep(object, known, fieldValue(values, known.type));
  }
}

/**
 * compat cluster 2.4: Go writes every field it holds by value, zero or not; only a zero behind a pointer is
 * significant.
 */
function keep(object: JsonObject, field: SchemaField, value: unknown): void {
  if (value === undefined || (!field.pointer && isZero(value))) return;
  object[field.name] = value;
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function fieldValue(values: readonly Value[], type: TypeNode): unknown {
  if (type.kind === 'list') return values.flatMap((value) => items(value, type));
  if (type.kind === 'map') return Object.fromEntries(values.map((value) => mapEntry(value, type.values)));
  return single(values.at(-1) ?? 0n, type);
}

/** Numbers may be packed: many in one byte string. */
function items(value: Value, { items: type }: ListType): unknown[] {
  const isNumber = type.kind === 'scalar' && (type.scalar === 'int32' || type.scalar === 'int64');
  if (!isNumber || !(value instanceof Uint8Array)) return [single(value, type)];
  const reader = new Reader(value);
  const all: unknown[] = [];
  while (!reader.done) all.push(single(reader.varint(), type));
  return all;
}

function mapEntry(value: Value, type: TypeNode): [string, unknown] {
  const { 1: key = [], 2: found = [] } = entries(new Reader(bytesOf(value)));
  if (type.kind !== 'list') return [textOf(key[0]), single(found[0] ?? new Uint8Array(), type)];
  const { 1: inner = [] } = entries(new Reader(bytesOf(found[0]))); // a list needs a message around it
  return [textOf(key[0]), inner.flatMap((item) => items(item, type))];
}

function single(value: Value, type: TypeNode): unknown {
  if (type.kind === 'scalar') return scalar(value, type.scalar);
  if (type.kind === 'struct') return struct(new Reader(bytesOf(value)), type);
  const { 1: raw = [] } = entries(new Reader(bytesOf(value))); // JSON inside: RawExtension, FieldsV1
  const text = textOf(raw[0]);
  return text === '' ? undefined : parseJson(text);
}

function scalar(value: Value, kind: ScalarKind): unknown {
  switch (kind) {
    case 'string':
      return textOf(value);
    case 'bytes':
      return Buffer.from(bytesOf(value)).toString('base64');
    case 'boolean':
      return value !== 0n;
    case 'int32':
    case 'int64':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    case 'number':
      return Number(value);
    default:
      return wrapped(entries(new Reader(bytesOf(value))), kind);
  }
}

/** Scalars that are messages of their own. */
function wrapped(fields: Record<number, Value[]>, kind: ScalarKind): unknown {
  const first = fields[1]?.[0];
  switch (kind) {
    case 'quantity':
      return textOf(first);
    case 'int-or-string':
      return numberOf(first) === 1 ? textOf(fields[3]?.[0]) : numberOf(fields[2]?.[0]);
    case 'duration':
      return `${numberOf(first) / 1e9}s`;
    default:
      return first === undefined
        ? undefined
        : time(numberOf(first), numberOf(fields[2]?.[0]), kind === 'micro-time');
  }
}

function time(seconds: number, nanos: number, micro: boolean): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return micro ? `${whole}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z` : `${whole}Z`;
}
