import { FairleadError } from '#base/std';
import { canBeNil, type GoType, isInteger, type Kind, types, wrap } from './go-type.ts';
import { wellFormed } from './text.ts';

/**
 * A Go value. `undefined` is the absence of a value (reflect's zero Value: a missing key), `null` is a nil interface;
 * numbers are float64, bigints are int, strings are Go strings (text.ts says how they hold bytes).
 */
export type Value =
  | undefined
  | null
  | boolean
  | string
  | number
  | bigint
  | GoInt
  | GoComplex
  | GoList
  | GoMap
  | GoObject
  | GoFunction;

/** An integer of any type but int. */
export class GoInt {
  readonly type: GoType;
  readonly value: bigint;

  constructor(type: GoType, value: bigint) {
    this.type = type;
    this.value = wrap(type.kind, value);
  }
}

/** An imaginary constant; templates can print and compare it, nothing more. */
export class GoComplex {
  readonly type = types.complex128;
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    this.real = real;
    this.imaginary = imaginary;
  }
}

/** A slice. No function changes one in place. */
export class GoList {
  readonly type: GoType;
  readonly items: readonly Value[];
  readonly isNil: boolean;

  constructor(type: GoType, items: readonly Value[] | null) {
    this.type = type;
    this.items = items ?? [];
    this.isNil = items === null;
  }
}

const list = (items: readonly Value[]): GoList => new GoList(types.anys, items);

/** A map with string keys. It is shared and changed in place, as Go's maps are. */
export class GoMap {
  readonly type: GoType;
  readonly entries: Map<string, Value>;
  readonly isNil: boolean;

  constructor(type: GoType, entries: Map<string, Value> | null) {
    this.type = type;
    this.entries = entries ?? new Map();
    this.isNil = entries === null;
  }
}

const map = (entries: Iterable<readonly [string, Value]> = []): GoMap =>
  new GoMap(types.map, new Map(entries));

/** A struct, or a pointer to one: fields and methods by name. */
export class GoObject {
  readonly type: GoType;
  readonly fields: ReadonlyMap<string, Value>;
  readonly methods: ReadonlyMap<string, GoFunction>;
  /** Fields that templates cannot name and that print nevertheless. */
  readonly hidden: ReadonlyMap<string, Value>;
  /** What the object stands for, for the functions that know its type. */
  readonly inner: unknown;
  /** The result of its String method; undefined when it has none. */
  readonly text: (() => string) | undefined;
  /** The result of its GoString method, which `%#v` prints; undefined when it has none. */
  readonly goText: (() => string) | undefined;

  constructor(
    type: GoType,
    parts: {
      fields?: ReadonlyMap<string, Value>;
      methods?: ReadonlyMap<string, GoFunction>;
      hidden?: ReadonlyMap<string, Value>;
      inner?: unknown;
      text?: () => string;
      goText?: () => string;
    },
  ) {
    this.type = type;
    this.fields = parts.fields ?? new Map();
    this.methods = parts.methods ?? new Map();
    this.hidden = parts.hidden ?? new Map();
    this.inner = parts.inner;
    this.text = parts.text;
    this.goText = parts.goText;
  }
}

/** A function or a bound method, with the types that its arguments must have. */
export class GoFunction {
  readonly type = types.func;
  readonly params: readonly GoType[];
  /** The last parameter takes any number of arguments. */
  readonly variadic: boolean;
  readonly call: (run: CallContext, args: readonly Value[]) => Value;

  constructor(params: readonly GoType[], variadic: boolean, call: GoFunction['call']) {
    this.params = params;
    this.variadic = variadic;
    this.call = call;
  }
}

/** What a running template offers to the functions that it calls. */
export type CallContext = {
  /** Counts work; throws LimitExceeded when the template has done too much. */
  step(count?: number): void;
  /** Counts bytes before they are allocated; throws LimitExceeded. */
  alloc(bytes: number): void;
  readonly host: TemplateHost;
};

/** What sprig needs of the machine. A function whose part is missing fails with its name. */
export type TemplateHost = {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Cryptographically random bytes. */
  readonly randomBytes?: (count: number) => Uint8Array;
  readonly ciphers?: TemplateCiphers;
};

/** What passwords are derived and texts encrypted with. */
export type TemplateCiphers = {
  /** scrypt with N = 32768, r = 8 and p = 2: 64 bytes. */
  scrypt(password: Uint8Array, salt: Uint8Array): Uint8Array;
  hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  /** AES-256 in CBC mode, without padding: whole blocks. */
  aes(way: 'encrypt' | 'decrypt', block: AesBlocks): Uint8Array;
};
type AesBlocks = { readonly key: Uint8Array; readonly iv: Uint8Array; readonly data: Uint8Array };

/** What a function returns as its error: the template reports it with the place of the call. */
export class GoError extends Error {}

/** The type of a value; a nil interface has the type interface {}. */
export function typeOf(value: Exclude<Value, undefined>): GoType {
  switch (typeof value) {
    case 'boolean':
      return types.bool;
    case 'string':
      return types.string;
    case 'number':
      return types.float64;
    case 'bigint':
      return types.int;
    default:
      return value === null ? types.any : value.type;
  }
}

export const kindOf = (value: Exclude<Value, undefined>): Kind => typeOf(value).kind;

/** The value of an integer of any type; undefined for all other values. */
export function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return value instanceof GoInt ? value.value : undefined;
}

/** An integer of that type. */
export const integer = (type: GoType, value: bigint): Value =>
  type === types.int ? wrap('int', value) : new GoInt(type, value);

/** The zero value of a type. */
export function zeroOf(type: GoType): Value {
  if (type.kind === 'slice') return new GoList(type, null);
  if (type.kind === 'map') return new GoMap(type, null);
  if (canBeNil(type)) return null;
  if (isInteger(type.kind)) return integer(type, 0n);
  if (type.kind === 'float64') return 0;
  return type.kind === 'bool' ? false : '';
}

/** compat sources HT-8: what `if` takes for true. */
export function isTrue(value: Value): boolean {
  if (value instanceof GoList) return value.items.length > 0;
  if (value instanceof GoMap) return value.entries.size > 0;
  if (value instanceof GoInt) return value.value !== 0n;
  if (value instanceof GoComplex) return value.real !== 0 || value.imaginary !== 0;
  return Number.isNaN(value) || Boolean(value);
}

const deepest = 500;

/**
 * Plain data, as JSON and YAML give it, as the Go values a peer reads from the same text: every number, a bigint
 * included, is a float64 (compat sources ASG-8, HT-9). Go values stay what they are. The result shares nothing with
 * plain data, so a template that changes a map changes a copy.
 */
export function goValue(data: unknown, depth = 0): Value {
  if (depth > deepest)
    throw new FairleadError('LimitExceeded', `template data is nested deeper than ${deepest}`);
  if (data === undefined || data === null || typeof data === 'boolean' || typeof data === 'number')
    return data;
  if (typeof data === 'string') return wellFormed(data);
  if (typeof data === 'bigint') return Number(data);
  if (isGo(data)) return data;
  if (Array.isArray(data)) return list(data.map((item) => goValue(item, depth + 1) ?? null));
  if (typeof data !== 'object') throw new FairleadError('Internal', `a ${typeof data} is no template data`);
  const entries = Object.entries(data).filter(([, field]) => field !== undefined);
  return map(entries.map(([key, field]) => [wellFormed(key), goValue(field, depth + 1)]));
}

const isGo = (data: unknown): data is Exclude<Value, undefined> =>
  data instanceof GoMap ||
  data instanceof GoList ||
  data instanceof GoInt ||
  data instanceof GoObject ||
  data instanceof GoFunction ||
  data instanceof GoComplex;
