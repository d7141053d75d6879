import { isObject, type JsonObject, type StructType, type TypeNode } from '#kubernetes/schema';
import { embeddedIn, shortName } from './go-types.ts';

/**
 * compat cluster 5.6: the error of Go's decoder for an object, in its words; undefined when there is none. The
 * webhook decodes before the API server validates the schema, so a number in place of a string gets this error.
 */
export function undecodable(object: JsonObject, type: StructType): string | undefined {
  return inStruct(object, type, []);
}

type Path = readonly string[];

function inStruct(value: JsonObject, type: StructType, path: Path): string | undefined {
  for (const [name, held] of Object.entries(value)) {
    const field = type.fields.get(name);
    if (!field || held === null || held === undefined) continue;
    const inner = embeddedIn(type, name);
    const wrong = inValue(held, field.type, {
      owner: shortName(type),
      path: [...path, ...(inner ? [inner] : []), name],
    });
    if (wrong) return wrong;
  }
  return undefined;
}

/** The innermost struct and the path to the value, as Go names them. */
type FieldOwner = { readonly owner: string; readonly path: Path };

function inValue(value: unknown, type: TypeNode, place: FieldOwner): string | undefined {
  switch (type.kind) {
    case 'struct':
      return isObject(value) ? inStruct(value, type, place.path) : mismatch(value, type, place);
    case 'list':
      if (!Array.isArray(value)) return mismatch(value, type, place);
      return first(value, (item) => inValue(item, type.items, place));
    case 'map':
      if (!isObject(value)) return mismatch(value, type, place);
      return first(Object.values(value), (item) => inValue(item, type.values, place));
    case 'scalar':
      return inScalar(value, type.scalar, place);
    default:
      return undefined;
  }
}

function first<T>(items: readonly T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const wrong = item === null ? undefined : judge(item);
    if (wrong) return wrong;
  }
  return undefined;
}

const quantityShape = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/;
const quantityRule =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const goNames: Readonly<Record<string, string>> = {
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  boolean: 'bool',
  'int-or-string': 'int32',
};

function inScalar(value: unknown, scalar: string, place: FieldOwner): string | undefined {
  if (scalar === 'quantity') {
    const isText = typeof value === 'string' || typeof value === 'number';
    return isText && quantityShape.test(String(value)) ? undefined : quantityRule;
  }
  const wanted = goNames[scalar];
  if (wanted === undefined || fits(value, scalar)) return undefined;
  return complaint(value, wanted, place);
}

function fits(value: unknown, scalar: string): boolean {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  if (scalar === 'string') return typeof value === 'string';
  if (scalar === 'boolean') return typeof value === 'boolean';
  return isWhole || (scalar === 'int-or-string' && typeof value === 'string');
}

const mismatch = (value: unknown, type: TypeNode, place: FieldOwner): string =>
  complaint(value, goName(type), place);

function goName(type: TypeNode): string {
  if (type.kind === 'struct') return `v1.${shortName(type)}`;
  if (type.kind === 'list') return `[]${goName(type.items)}`;
  if (type.kind === 'map') return `map[string]${goName(type.values)}`;
  return type.kind === 'scalar' ? (goNames[type.scalar] ?? type.scalar) : 'interface {}';
}

function complaint(value: unknown, wanted: string, { owner, path }: FieldOwner): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${owner}.${path.join('.')} of type ${wanted}`;
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value !== 'number') return typeof value === 'bigint' ? 'number' : typeof value;
  return Number.isInteger(value) ? 'number' : `number ${value}`;
}
