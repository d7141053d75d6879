import { isObject } from '#base/std';
import { clockOf, durationText, formatFloat, formatTime, type GoMoment, printable } from '#lang/go-template';
import { ExprError } from './errors.ts';

/**
 * A value while an expression runs. An int is a bigint of 64 bits, a float a number: `4 / 2` is a float, and no index.
 * Lists and maps of the caller stay as they are, and what is in them becomes a value when it is read (`readHost`).
 */
export type ExprValue =
  | null
  | boolean
  | string
  | bigint
  | number
  | ExprList
  | ExprMap
  | ExprDuration
  | ExprTime
  | ExprZone
  | ExprFunction
  | readonly unknown[]
  | { readonly [key: string]: unknown };

/** A list that the expression made. */
export class ExprList {
  readonly items: readonly ExprValue[];

  constructor(items: readonly ExprValue[]) {
    this.items = items;
  }
}

/** A map that the expression made. */
export class ExprMap {
  readonly entries: ReadonlyMap<ExprValue, ExprValue>;
  /** `groupBy` and `fromPairs` make keys of any kind; such a map is no JSON. */
  readonly hasAnyKeys: boolean;

  constructor(entries: ReadonlyMap<ExprValue, ExprValue>, hasAnyKeys = false) {
    this.entries = entries;
    this.hasAnyKeys = hasAnyKeys;
  }
}

export class ExprDuration {
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    this.nanoseconds = BigInt.asIntN(64, nanoseconds);
  }
}

/** An instant in a zone. */
export class ExprTime {
  readonly at: GoMoment;

  constructor(at: GoMoment) {
    this.at = at;
  }
}

export class ExprZone {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A function of the caller, or a method of a value. Throws ExprError to fail the expression. */
export class ExprFunction {
  readonly call: (...args: ExprValue[]) => ExprValue;

  constructor(call: (...args: ExprValue[]) => ExprValue) {
    this.call = call;
  }
}

/** How numbers of the caller are read: JSON of a cluster has ints, JSON that Go decoded without types has floats only. */
export type NumberReading = 'ints' | 'floats';

const made = [ExprList, ExprMap, ExprDuration, ExprTime, ExprZone, ExprFunction];

/** Something of the caller as a value. */
export function readHost(host: unknown, numbers: NumberReading): ExprValue {
  if (host === undefined || host === null) return null;
  if (typeof host === 'number' || typeof host === 'bigint') return readNumber(host, numbers);
  if (typeof host === 'string' || typeof host === 'boolean') return host;
  if (Array.isArray(host) || isObject(host) || made.some((kind) => host instanceof kind))
    return host as ExprValue;
  throw new ExprError(`a ${typeof host} cannot be read`);
}

function readNumber(host: number | bigint, numbers: NumberReading): ExprValue {
  if (numbers === 'floats') return Number(host);
  if (typeof host === 'bigint') return BigInt.asIntN(64, host);
  return Number.isSafeInteger(host) ? BigInt(host) : host;
}

/** A value as plain data of the caller: ints are numbers where they fit, times and durations their texts. */
export function plainOf(value: ExprValue): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === 'string') return printable(value);
  if (value instanceof ExprList) return value.items.map(plainOf);
  if (value instanceof ExprMap) {
    const pairs = [...value.entries].map(([key, item]) => [printed(key), plainOf(item)]);
    return Object.fromEntries(pairs);
  }
  if (value instanceof ExprTime || value instanceof ExprDuration || value instanceof ExprZone)
    return printed(value);
  return value;
}

export const isList = (value: ExprValue): value is ExprList | readonly unknown[] =>
  value instanceof ExprList || Array.isArray(value);

export const isMap = (value: ExprValue): value is ExprMap | { readonly [key: string]: unknown } =>
  value instanceof ExprMap || (isObject(value) && !made.some((kind) => value instanceof kind));

export function typeOf(value: ExprValue): string {
  if (value === null) return 'nil';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (isList(value)) return 'array';
  if (value instanceof ExprDuration) return 'time.Duration';
  if (value instanceof ExprTime) return 'time.Time';
  if (value instanceof ExprZone) return 'time.Location';
  return value instanceof ExprFunction ? 'func' : 'map';
}

const timeLayout = '2006-01-02 15:04:05.999999999 -0700 MST';

/** As Go prints a value with %v. */
export function printed(value: ExprValue, numbers: NumberReading = 'ints'): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return formatFloat(value, 'g', -1);
  if (value instanceof ExprDuration) return durationText(value.nanoseconds);
  if (value instanceof ExprTime) return formatTime(value.at, timeLayout);
  if (value instanceof ExprZone) return value.name;
  if (value instanceof ExprFunction) return 'func';
  if (isList(value))
    return `[${itemsOf(value, numbers)
      .map((item) => printed(item, numbers))
      .join(' ')}]`;
  if (isMap(value)) {
    const pairs = entriesOf(value, numbers).map(([key, item]) => `${printed(key)}:${printed(item, numbers)}`);
    return `map[${pairs.join(' ')}]`;
  }
  return String(value);
}

export function itemsOf(list: ExprList | readonly unknown[], numbers: NumberReading): readonly ExprValue[] {
  return list instanceof ExprList ? list.items : list.map((item) => readHost(item, numbers));
}

/** In the order of their keys: Go has none, and a random one would be of no use. */
export function entriesOf(
  map: ExprMap | { readonly [key: string]: unknown },
  numbers: NumberReading,
): [ExprValue, ExprValue][] {
  const pairs: [ExprValue, ExprValue][] =
    map instanceof ExprMap
      ? [...map.entries]
      : Object.entries(map).map(([key, item]) => [key, readHost(item, numbers)]);
  return pairs.sort(([left], [right]) => (printed(left) < printed(right) ? -1 : 1));
}

export const wallClock = ({ at }: ExprTime) => clockOf(at);
