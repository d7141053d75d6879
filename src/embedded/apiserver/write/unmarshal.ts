import { quantityOf } from '#base/model';
import {
  isObject,
  type JsonObject,
  type ScalarKind,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';
import { jsonKind } from './body.ts';
import { timeProblem } from './go-time.ts';
import { goTypeOfField, innerStruct } from './go-types.ts';

/**
 * The first error of Go's decoder for a value of this type, in its words; undefined when there is none. compat
 * cluster 3.14: it names the innermost struct, and the path without indices or map keys.
 */
export function unmarshalProblem(value: unknown, type: StructType): string | undefined {
  return inside(value, type, undefined);
}

/** A number written with a point or an exponent; no integer to Go, whatever its value. */
class Fraction {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const fractionAhead = /(?:"\s*:|[[,])\s*-?\d+(?:\.\d|[eE])/;
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
const mark = '\u0000fraction';

/**
 * As unmarshalProblem, for numbers that are integers by value but not as written, which a parsed value no longer
 * shows. The text must be valid JSON.
 */
export function fractionProblem(text: string, type: StructType): string | undefined {
  if (!fractionAhead.test(text)) return undefined;
  const marked = text.replace(stringOrNumber, (token) =>
    token.startsWith('"') || !/[.eE]/.test(token) ? token : JSON.stringify({ [mark]: token }),
  );
  const value: unknown = JSON.parse(marked, (_key, item) =>
    isObject(item) && typeof item[mark] === 'string' ? new Fraction(item[mark]) : item,
  );
  return inside(value, type, undefined);
}

/** The current struct, field and path. Printed only for errors. */
type FieldPosition =
  | { readonly owner: StructType; readonly field: string; readonly up: FieldPosition }
  | undefined;

function inside(value: unknown, type: TypeNode, place: FieldPosition): string | undefined {
  if (value === null || value === undefined || type.kind === 'any') return undefined;
  if (type.kind === 'scalar') return scalarProblem(value, type.scalar, place);
  if (value instanceof Fraction) return cannot(0, type, place);
  if (type.kind === 'list') {
    return Array.isArray(value) ? firstItem(value, type.items, place) : cannot(value, type, place);
  }
  if (!isObject(value)) return cannot(value, type, place);
  return type.kind === 'map' ? firstValue(value, type.values, place) : firstField(value, type, place);
}

function firstItem(items: readonly unknown[], type: TypeNode, place: FieldPosition): string | undefined {
  for (const item of items) {
    const problem = inside(item, type, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const firstValue = (map: JsonObject, type: TypeNode, place: FieldPosition): string | undefined =>
  firstItem(Object.values(map), type, place);

function firstField(object: JsonObject, type: StructType, place: FieldPosition): string | undefined {
  for (const name of Object.keys(object)) {
    const field = type.fields.get(name);
    const value = object[name];
    if (field === undefined || isPlain(value, field.type)) continue;
    const problem = inside(value, field.type, { owner: type, field: name, up: place });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A shortcut for most fields. */
const isPlain = (value: unknown, type: TypeNode): boolean =>
  type.kind === 'scalar' && type.scalar === 'string' && typeof value === 'string';

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const shortName = ({ name }: StructType): string => lastPart(name);

/** `io.k8s.api.core.v1.Container` is `v1.Container` to Go. */
function goStruct({ name }: StructType): string {
  if (name === '') return 'map[string]interface {}';
  const parts = name.split('.');
  return parts.slice(-2).join('.');
}

const scalars: Readonly<Record<ScalarKind, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  number: 'float64',
  bytes: '[]uint8',
  time: 'string',
  'micro-time': 'string',
  duration: 'string',
  quantity: 'resource.Quantity',
  'int-or-string': 'int32',
};

function goType(type: TypeNode): string {
  if (type.kind === 'scalar') return scalars[type.scalar];
  if (type.kind === 'list') return `[]${goType(type.items)}`;
  if (type.kind === 'struct') return goStruct(type);
  if (type.kind === 'any') return 'interface {}';
  const isAmounts = type.values.kind === 'scalar' && type.values.scalar === 'quantity';
  return isAmounts ? 'v1.ResourceList' : `map[string]${goType(type.values)}`;
}

function cannot(value: unknown, type: TypeNode, place: FieldPosition): string {
  const named = type.kind === 'list' ? ownType(place) : undefined;
  return refusal(jsonKind(value), named ? `[]${named}` : goType(type), place);
}

const ownType = (place: FieldPosition): string | undefined =>
  place && goTypeOfField(place.owner.name, place.field);

function refusal(what: string, type: string, place: FieldPosition): string {
  const where = place ? `Go struct field ${shortName(place.owner)}.${wayTo(place).join('.')}` : 'Go value';
  return `json: cannot unmarshal ${what} into ${where} of type ${type}`;
}

function wayTo(place: FieldPosition): string[] {
  if (!place) return [];
  const { owner, field, up } = place;
  const inner = innerStruct(owner.name, field);
  return [...wayTo(up), ...(inner ? [inner] : []), field];
}

function scalarProblem(sent: unknown, scalar: ScalarKind, place: FieldPosition): string | undefined {
  if (!(sent instanceof Fraction)) return plainProblem(sent, scalar, place);
  if (!integers.has(scalar)) return plainProblem(Number(sent.text), scalar, place);
  return refusal(`number ${sent.text}`, scalar === 'int64' ? scalar : 'int32', place);
}

function plainProblem(value: unknown, scalar: ScalarKind, place: FieldPosition): string | undefined {
  switch (scalar) {
    case 'quantity':
      return quantityProblem(value);
    case 'bytes':
      return typeof value === 'string' ? base64Problem(value) : mistyped(value, scalar, place);
    case 'time':
    case 'micro-time':
      return typeof value === 'string'
        ? timeProblem(value, scalar === 'micro-time')
        : mistyped(value, scalar, place);
    case 'int-or-string':
      return typeof value === 'string' ? undefined : numberProblem(value, 'int32', place);
    case 'int32':
    case 'int64':
    case 'number':
      return numberProblem(value, scalar, place);
    default:
      return typeof value === (scalar === 'boolean' ? 'boolean' : 'string')
        ? undefined
        : mistyped(value, scalar, place);
  }
}

function mistyped(value: unknown, scalar: ScalarKind, place: FieldPosition): string {
  const named = scalar === 'string' ? ownType(place) : undefined;
  return refusal(jsonKind(value), named ?? scalars[scalar], place);
}

const quantityProblem = (value: unknown): string | undefined =>
  typeof value !== 'object' && quantityOf(value) !== undefined
    ? undefined
    : "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const integers: ReadonlySet<ScalarKind> = new Set(['int32', 'int64', 'int-or-string']);
const bounds = { int32: 2n ** 31n, int64: 2n ** 63n } as const;

function numberProblem(
  value: unknown,
  scalar: 'int32' | 'int64' | 'number',
  place: FieldPosition,
): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return mistyped(value, scalar, place);
  if (scalar === 'number' || fitsIn(value, bounds[scalar])) return undefined;
  return refusal(`number ${String(value)}`, scalar, place);
}

function fitsIn(value: number | bigint, bound: bigint): boolean {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value >= -bound && value < bound;
  return typeof value === 'bigint' && value >= -bound && value < bound;
}

/** compat cluster 3.14: Go decodes standard base64 with padding, ignores line ends, and counts bytes of the input. */
function base64Problem(text: string): string | undefined {
  const illegal = (at: number) => `illegal base64 data at input byte ${at}`;
  let quantum = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\r' || char === '\n') continue;
    if (char === '=') return paddingProblem(text, at, quantum, illegal);
    if (!/[A-Za-z0-9+/]/.test(char)) return illegal(at);
    if (quantum === 0) start = at;
    quantum = (quantum + 1) % 4;
  }
  return quantum === 0 ? undefined : illegal(start);
}

function paddingProblem(
  text: string,
  at: number,
  quantum: number,
  illegal: (at: number) => string,
): string | undefined {
  if (quantum < 2) return illegal(at);
  const padding = /^=[\r\n]*/.exec(text.slice(at))?.[0].length ?? 1;
  if (quantum === 3) return at + padding < text.length ? illegal(at + padding) : undefined;
  const second = at + padding;
  if (text[second] !== '=') return illegal(Math.min(second, text.length));
  const end = second + (/^=[\r\n]*/.exec(text.slice(second))?.[0].length ?? 1);
  return end < text.length ? illegal(end) : undefined;
}
