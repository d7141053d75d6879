import { FairleadError, isObject, parseJson } from '#base/std';
import type { FieldType, MessageField, MessageType, ScalarLetter } from './facts/notation.ts';
import { malformed, WireReader, type WireValue } from './wire.ts';

type Json = Record<string, unknown>;

/**
 * The JSON object of a message, as a JSON client would have sent it: what Go writes because it holds it by value is left out where
 * it is zero. Unknown fields are ignored. Throws InvalidSpec for bytes that are no such message, and names a required field that is
 * missing.
 */
export function decodeMessage(type: MessageType, bytes: Uint8Array): Json {
  const object: Json = {};
  readInto(object, type, bytes);
  return object;
}

function readInto(object: Json, type: MessageType, bytes: Uint8Array): void {
  const reader = new WireReader(bytes);
  const seen = new Set<MessageField>();
  while (!reader.isDone) {
    const { number, value } = reader.field();
    const field = type.byNumber.get(number);
    if (!field || value === undefined) continue;
    seen.add(field);
    readField(object, field, value);
  }
  for (const field of type.fields)
    if (field.isRequired && !seen.has(field))
      throw new FairleadError('InvalidSpec', `required field "${field.proto}" of ${type.name} is not set`);
}

function readField(object: Json, field: MessageField, value: WireValue): void {
  const { json, type, isPointer, isRequired } = field;
  if (json === '') readEmbedded(object, field, value);
  else if (type.kind === 'list') listAt(object, json).push(...itemsOf(type.items, value));
  else if (type.kind === 'map') readEntry(object, json, type.values, bytesOf(value));
  else {
    const read = fieldValue(type, value, object[json]);
    if (isPointer || isRequired || !isZero(read)) object[json] = read;
    if (read === undefined) delete object[json];
  }
}

/** Behind a pointer an empty one is not the same as none: `array: []` clears what no array would leave. */
function readEmbedded(object: Json, { type, isPointer }: MessageField, value: WireValue): void {
  if (type.kind !== 'message') return;
  readInto(object, type.message, bytesOf(value));
  const [only] = type.message.fields;
  if (isPointer && only && object[only.json] === undefined)
    object[only.json] = only.type.kind === 'list' ? [] : {};
}

function listAt(object: Json, json: string): unknown[] {
  const known = object[json];
  if (Array.isArray(known)) return known;
  const made: unknown[] = [];
  object[json] = made;
  return made;
}

/** Numbers may be packed: many in one byte string. */
function itemsOf(items: FieldType, value: WireValue): unknown[] {
  const isNumber = items.kind === 'scalar' && 'ilb'.includes(items.letter);
  if (!isNumber || !(value instanceof Uint8Array)) return [fieldValue(items, value) ?? null];
  const reader = new WireReader(value);
  const all: unknown[] = [];
  while (!reader.isDone) all.push(fieldValue(items, reader.varint()));
  return all;
}

function readEntry(object: Json, json: string, values: FieldType, bytes: Uint8Array): void {
  const reader = new WireReader(bytes);
  let key = '';
  let entry: unknown = values.kind === 'message' ? {} : fieldValue(values, emptyOf(values));
  while (!reader.isDone) {
    const { number, value } = reader.field();
    if (value === undefined) continue;
    if (number === 1) key = textOf(value);
    if (number === 2) entry = fieldValue(values, value);
  }
  const known = object[json];
  const map = isObject(known) ? known : {};
  // a key may be __proto__, which an assignment would take for the prototype
  Object.defineProperty(map, key, { value: entry, enumerable: true, configurable: true, writable: true });
  object[json] = map;
}

const emptyOf = (type: FieldType): WireValue =>
  type.kind === 'scalar' && 'ilb'.includes(type.letter) ? 0 : new Uint8Array();

/** Undefined where the bytes stand for nothing: no time, no JSON. A message that comes in parts is one. */
function fieldValue(type: FieldType, value: WireValue, before?: unknown): unknown {
  if (type.kind === 'scalar') return scalars[type.letter](value);
  if (type.kind !== 'message') throw new Error('a list or map inside a list or map has no form of its own');
  const object: Json = isObject(before) ? before : {};
  readInto(object, type.message, bytesOf(value));
  return object;
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === undefined) return true;
  return isObject(value) && Object.keys(value).length === 0;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(value: WireValue): string {
  const bytes = bytesOf(value);
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('a text is not UTF-8');
  }
}

function bytesOf(value: WireValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw malformed('a number stands where bytes belong');
}

function numberOf(value: WireValue): number | bigint {
  if (value instanceof Uint8Array) throw malformed('bytes stand where a number belongs');
  return value;
}

const scalars: Readonly<Record<ScalarLetter, (value: WireValue) => unknown>> = {
  s: textOf,
  b: (value) => numberOf(value) !== 0,
  i: (value) => Number(BigInt.asIntN(32, BigInt(numberOf(value)))),
  l: numberOf,
  B: (value) => Buffer.from(bytesOf(value)).toString('base64'),
  T: (value) => timeIn(bytesOf(value), false),
  M: (value) => timeIn(bytesOf(value), true),
  X: (value) => {
    const { 1: type = 0, 2: number = 0, 3: text = new Uint8Array() } = partsOf(bytesOf(value));
    return numberOf(type) === 1 ? textOf(text) : Number(numberOf(number));
  },
  R: (value) => {
    const { 1: raw = new Uint8Array() } = partsOf(bytesOf(value));
    return jsonIn(textOf(raw));
  },
};

function jsonIn(text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    throw malformed(`a text is not JSON: ${(error as Error).message}`);
  }
}

/** The last value of each number. */
function partsOf(bytes: Uint8Array): Record<number, WireValue> {
  const reader = new WireReader(bytes);
  const parts: Record<number, WireValue> = {};
  while (!reader.isDone) {
    const { number, value } = reader.field();
    if (value !== undefined) parts[number] = value;
  }
  return parts;
}

const furthest = 253_402_300_799; // the end of the year 9999

function timeIn(bytes: Uint8Array, isMicro: boolean): string | undefined {
  if (bytes.length === 0) return undefined;
  const { 1: seconds = 0, 2: nanos = 0 } = partsOf(bytes);
  const at = Number(numberOf(seconds));
  if (Math.abs(at) > furthest) throw malformed(`${at} seconds are no time`);
  const whole = new Date(at * 1000).toISOString().slice(0, -5);
  if (!isMicro) return `${whole}Z`;
  const micros = Math.floor(Number(numberOf(nanos)) / 1000);
  return `${whole}.${String(micros).padStart(6, '0')}Z`;
}
