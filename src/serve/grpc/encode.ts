import { isObject, printJson } from '#base/std';
import type { FieldType, MessageField, MessageType, ScalarLetter } from './facts/notation.ts';
import { WireWriter } from './wire.ts';

/**
 * The message of a JSON object, byte for byte as Go writes it (compat server §3.3). Fields that the message does not have, such as
 * apiVersion and kind, are left out.
 */
export const encodeMessage = (type: MessageType, value: unknown): Buffer =>
  written((out) => writeMessage(out, type, objectOf(value)));

/** One field with its tag, for a message that is made in parts. */
export function encodeField(type: MessageType, json: string, value: unknown): Buffer {
  const field = type.fields.find((one) => one.json === json);
  if (!field) throw new Error(`${type.name} has no field ${json}`);
  return written((out) => writeField(out, field, { [json]: value }));
}

/** Encoding never waits, so one writer serves all. */
const writer = new WireWriter();

function written(write: (out: WireWriter) => void): Buffer {
  writer.begin();
  write(writer);
  return writer.end();
}

type Json = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Last field first: the writer works from the end. */
function writeMessage(out: WireWriter, { fields }: MessageType, object: Json): void {
  for (let i = fields.length - 1; i >= 0; i--) {
    const field = fields[i];
    if (field) writeField(out, field, object);
  }
}

function writeField(out: WireWriter, field: MessageField, object: Json): void {
  const { json, number, type } = field;
  if (json === '') {
    if (field.isAlways || isPresent(type, object)) writeValue(out, number, type, object);
    return;
  }
  const value = Object.hasOwn(object, json) ? (object[json] ?? undefined) : undefined;
  if (type.kind === 'list') writeList(out, number, type.items, value);
  else if (type.kind === 'map') writeMap(out, number, type.values, objectOf(value));
  else if (field.isAlways || (value !== undefined && (field.isPointer || !isZero(value))))
    writeValue(out, number, type, value);
}

/** An embedded struct behind a pointer is there when one of its fields is. */
const isPresent = (type: FieldType, object: Json): boolean =>
  type.kind === 'message' &&
  type.message.fields.some(({ json }) => (object[json] ?? undefined) !== undefined);

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false || value === 0n;

function writeList(out: WireWriter, number: number, items: FieldType, value: unknown): void {
  if (!Array.isArray(value)) return;
  for (let i = value.length - 1; i >= 0; i--) writeValue(out, number, items, value[i]);
}

/** Sorted by key, as Kubernetes does. */
function writeMap(out: WireWriter, number: number, values: FieldType, object: Json): void {
  const keys = Object.keys(object).sort();
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] ?? '';
    writeInner(out, number, () => {
      writeValue(out, 2, values, object[key]);
      out.text(key);
      out.tag(1, 2);
    });
  }
}

function writeInner(out: WireWriter, number: number, write: () => void): void {
  const before = out.length;
  write();
  out.varint(out.length - before);
  out.tag(number, 2);
}

function writeValue(out: WireWriter, number: number, type: FieldType, value: unknown): void {
  if (type.kind === 'scalar') scalars[type.letter](out, number, value);
  else if (type.kind === 'message') {
    const before = out.length;
    writeMessage(out, type.message, objectOf(value));
    out.varint(out.length - before);
    out.tag(number, 2);
  } else throw new Error('a list or map inside a list or map has no form of its own');
}

const varintOf = (value: unknown): number | bigint => {
  if (typeof value === 'number') return Math.trunc(value) || 0;
  if (typeof value === 'bigint') return value;
  const text = String(value ?? '');
  return /^-?\d+$/.test(text) ? BigInt(text) : 0;
};

type WriteScalar = (out: WireWriter, number: number, value: unknown) => void;

const writeVarint: WriteScalar = (out, number, value) => {
  out.varint(varintOf(value));
  out.tag(number, 0);
};

const scalars: Readonly<Record<ScalarLetter, WriteScalar>> = {
  s: (out, number, value) => {
    out.text(typeof value === 'string' ? value : String(value ?? ''));
    out.tag(number, 2);
  },
  b: (out, number, value) => {
    out.varint(value === true ? 1 : 0);
    out.tag(number, 0);
  },
  i: writeVarint,
  l: writeVarint,
  B: (out, number, value) => {
    out.bytes(Buffer.from(typeof value === 'string' ? value : '', 'base64'));
    out.tag(number, 2);
  },
  T: (out, number, value) => writeTime(out, number, { value, unit: 1_000_000_000 }),
  M: (out, number, value) => writeTime(out, number, { value, unit: 1_000 }),
  X: (out, number, value) =>
    writeInner(out, number, () => {
      const isText = typeof value === 'string';
      out.text(isText ? value : '');
      out.tag(3, 2);
      writeVarint(out, 2, isText ? 0 : value);
      writeVarint(out, 1, isText ? 1 : 0);
    }),
  R: (out, number, value) =>
    writeInner(out, number, () => {
      if (value === undefined) return;
      out.text(printJson(value));
      out.tag(1, 2);
    }),
};

/** compat server §3.3: seconds and nanoseconds, cut to the unit; no time at all is an empty message. */
function writeTime(
  out: WireWriter,
  number: number,
  { value, unit }: { readonly value: unknown; readonly unit: number },
): void {
  const text = typeof value === 'string' ? value : '';
  const ms = Date.parse(text);
  writeInner(out, number, () => {
    if (Number.isNaN(ms)) return;
    const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
    const nanos = Number(fraction.padEnd(9, '0'));
    writeVarint(out, 2, Math.floor(nanos / unit) * unit);
    writeVarint(out, 1, Math.floor(ms / 1000));
  });
}
