/** A CEL value. A fault is a value too: operators that evaluate one side only may absorb it. */
export type CelValue =
  | bigint
  | Uint
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | ListValue
  | MapValue
  | ObjectValue
  | Timestamp
  | Duration
  | TypeValue
  | OptionalValue
  | Opaque
  | CelError;

/** Why an evaluation has no result. `message` is for the user. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** An unsigned 64-bit integer. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since 1970, between the years 1 and 9999. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds, as many as an int64 holds. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value, identified by its name. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** An optional value; `value` undefined is optional.none(). */
export class OptionalValue {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export const none = new OptionalValue(undefined);

/** How the schema compares and merges a list: as a set of scalars, or as items with keys. */
export type ListKind =
  | { readonly as: 'set' }
  | { readonly as: 'map'; readonly keys: readonly string[] }
  | undefined;

export class ListValue {
  readonly items: readonly CelValue[];
  readonly kind: ListKind;
  constructor(items: readonly CelValue[], kind?: ListKind) {
    this.items = items;
    this.kind = kind;
  }
}

/** Entries by the text of their key, so that 1, 1u and 1.0 are one key. */
export class MapValue {
  readonly entries: ReadonlyMap<string, readonly [key: CelValue, value: CelValue]>;
  constructor(entries: ReadonlyMap<string, readonly [key: CelValue, value: CelValue]>) {
    this.entries = entries;
  }

  static from(pairs: Iterable<readonly [CelValue, CelValue]>): MapValue {
    const entries = new Map<string, readonly [CelValue, CelValue]>();
    for (const pair of pairs) entries.set(keyText(pair[0]) ?? '', pair);
    return new MapValue(entries);
  }

  get(key: CelValue): CelValue | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.entries.get(text)?.[1];
  }
}

/** An object of a declared type; fields that are not set are absent. */
export class ObjectValue {
  readonly fields: ReadonlyMap<string, CelValue>;
  constructor(fields: ReadonlyMap<string, CelValue>) {
    this.fields = fields;
  }
}

/** A value whose content only its own library can read: a quantity, a URL, an address. */
export abstract class Opaque {
  abstract readonly typeName: string;
  abstract equals(other: Opaque): boolean;

  /** Most opaque types have no fields. */
  field(_name: string): CelValue | undefined {
    return undefined;
  }
}

/** undefined: this value cannot be a key. */
export function keyText(key: CelValue): string | undefined {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint') return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'number') return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
  return undefined;
}

/** The name of a value's type, as in type() and messages. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? 'null_type' : objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<CelValue, bigint | number | string | boolean | null>): string {
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return 'map';
  if (value instanceof ObjectValue) return 'map';
  if (value instanceof Opaque) return value.typeName;
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof OptionalValue) return 'optional_type';
  return 'error';
}

const intMin = -(2n ** 63n);
const intMax = 2n ** 63n - 1n;
const uintMax = 2n ** 64n - 1n;

export const isInt64 = (value: bigint): boolean => value >= intMin && value <= intMax;
export const isUint64 = (value: bigint): boolean => value >= 0n && value <= uintMax;

export const intOr = (value: bigint): CelValue => (isInt64(value) ? value : new CelError('integer overflow'));
export const uintOr = (value: bigint): CelValue =>
  isUint64(value) ? new Uint(value) : new CelError('unsigned integer overflow');
export const durationOr = (nanos: bigint): CelValue =>
  isInt64(nanos) ? new Duration(nanos) : new CelError('duration overflow');

const earliest = -62_135_596_800_000_000_000n;
const latest = 253_402_300_799_999_999_999n;
export const timestampOr = (nanos: bigint): CelValue =>
  nanos >= earliest && nanos <= latest ? new Timestamp(nanos) : new CelError('timestamp overflow');

export const noSuchOverload = new CelError('no such overload');
