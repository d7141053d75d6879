import { isObject, type JsonObject } from '#schema';
import { equal, printJson } from '#std';
import type { Item } from '../item.ts';
import type { CustomKind } from '../kinds.ts';
import type { FieldError } from '../status.ts';

/** A structural schema, as far as values are judged by it. */
type Schema = {
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
};

/** Judges one value; `live` is what stood there before, and what has not changed is not judged again. */
type Place = { readonly path: string; readonly value: unknown; readonly live?: unknown };

/** Everything the definition's schema finds wrong with an object, in the words of Kubernetes (contract 3.15). */
export function customErrors({ schema }: CustomKind, next: Item, live?: Item): FieldError[] {
  if (!schema) return [];
  const { metadata: _metadata, apiVersion: _version, kind: _kind, ...value } = next;
  const { properties = {}, required = [], ...rest } = schema as Schema;
  const { metadata: _meta, apiVersion: _v, kind: _k, ...fields } = properties;
  const standard = new Set(['metadata', 'apiVersion', 'kind']);
  const own = { ...rest, properties: fields, required: required.filter((name) => !standard.has(name)) };
  return judge(own, { path: '', value, live });
}

function judge(schema: Schema, place: Place): FieldError[] {
  const { value, live } = place;
  if (live !== undefined && equal(value, live)) return [];
  if (value === null) return schema.nullable || schema.type === undefined ? [] : [mistyped(schema, place)];
  if (!hasType(schema, value)) return [mistyped(schema, place)];
  return [...enumErrors(schema, place), ...shapeErrors(schema, place), ...combinedErrors(schema, place)];
}

const inBody = ({ path }: Place, rule: string): string => `${path} in body ${rule}`.trimStart();
const wrong = (place: Place, rule: string, value = place.value): FieldError => ({
  type: 'Invalid value',
  field: place.path || '<nil>',
  value,
  detail: inBody(place, rule),
});

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function hasType(schema: Schema, value: unknown): boolean {
  const found = typeName(value);
  if (schema['x-kubernetes-int-or-string']) return found === 'integer' || found === 'string';
  if (schema.type === undefined || schema.type === found) return true;
  return schema.type === 'number' && found === 'integer';
}

function mistyped(schema: Schema, place: Place): FieldError {
  const wanted = schema['x-kubernetes-int-or-string'] ? 'integer,string' : schema.type;
  const found = typeName(place.value);
  return wrong(place, `must be of type ${wanted}: "${found}"`, found);
}

function enumErrors({ enum: allowed }: Schema, { path, value }: Place): FieldError[] {
  if (!allowed || allowed.some((one) => equal(one, value))) return [];
  const detail = `supported values: ${allowed.map((one) => printJson(one)).join(', ')}`;
  return [{ type: 'Unsupported value', field: path, value, detail }];
}

function shapeErrors(schema: Schema, place: Place): FieldError[] {
  const { value } = place;
  if (typeof value === 'string') return textErrors(schema, place, value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return numberErrors(schema, place, Number(value));
  if (Array.isArray(value)) return listErrors(schema, place, value);
  return isObject(value) ? objectErrors(schema, place, value) : [];
}

function textErrors({ minLength = 0, maxLength, pattern }: Schema, place: Place, text: string): FieldError[] {
  const errors: FieldError[] = [];
  const length = [...text].length;
  if (length < minLength) errors.push(wrong(place, `should be at least ${minLength} chars long`));
  if (maxLength !== undefined && length > maxLength) {
    errors.push({ type: 'Too long', field: place.path, detail: `may not be more than ${maxLength} bytes` });
  }
  if (pattern !== undefined && !compiled(pattern).test(text))
    errors.push(wrong(place, `should match '${pattern}'`));
  return errors;
}

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  let known = patterns.get(pattern);
  if (!known) {
    known = orAnything(pattern);
    patterns.set(pattern, known);
  }
  return known;
}

/** A pattern that only Go can read is not enforced: refusing valid objects would be worse. */
function orAnything(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    return /^/;
  }
}

function numberErrors(schema: Schema, place: Place, value: number): FieldError[] {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  const rules: [broken: boolean, rule: string][] = [
    [isBelow(value, minimum, above), `should be greater than ${above ? '' : 'or equal to '}${minimum}`],
    [
      isBelow(-value, maximum && -maximum, below),
      `should be less than ${below ? '' : 'or equal to '}${maximum}`,
    ],
    [
      multipleOf !== undefined && !Number.isInteger(value / multipleOf),
      `should be a multiple of ${multipleOf}`,
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, rule]) => wrong(place, rule));
}

function isBelow(value: number, limit: number | undefined, isExclusive = false): boolean {
  return limit !== undefined && (value < limit || (isExclusive && value === limit));
}

const tooMany = ({ path }: Place, count: number, limit: number): FieldError => ({
  type: 'Too many',
  field: path,
  value: count,
  detail: `must have at most ${limit} items`,
});

function listErrors(schema: Schema, place: Place, items: readonly unknown[]): FieldError[] {
  const { minItems = 0, maxItems, items: itemSchema } = schema;
  const errors: FieldError[] = [];
  if (items.length < minItems)
    errors.push(wrong(place, `should have at least ${minItems} items`, items.length));
  if (maxItems !== undefined && items.length > maxItems) errors.push(tooMany(place, items.length, maxItems));
  errors.push(...duplicateErrors(schema, place, items));
  const before = Array.isArray(place.live) ? place.live : [];
  if (!itemSchema) return errors;
  for (const [index, value] of items.entries()) {
    errors.push(...judge(itemSchema, { path: `${place.path}[${index}]`, value, live: before[index] }));
  }
  return errors;
}

function duplicateErrors(schema: Schema, { path }: Place, items: readonly unknown[]): FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && kind !== 'map' && !schema.uniqueItems) return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    const value =
      kind === 'map'
        ? Object.fromEntries(keys.map((key) => [key, (item as JsonObject | null)?.[key]]))
        : item;
    const text = printJson(value);
    if (seen.has(text)) errors.push({ type: 'Duplicate value', field: `${path}[${index}]`, value });
    seen.add(text);
  }
  return errors;
}

const under = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function objectErrors(schema: Schema, place: Place, object: JsonObject): FieldError[] {
  const { required = [], minProperties = 0, maxProperties } = schema;
  const count = Object.keys(object).length;
  const errors: FieldError[] = required
    .filter((name) => object[name] === undefined)
    .map((name) => ({ type: 'Required value', field: under(place.path, name) }));
  if (count < minProperties) errors.push(wrong(place, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(place, count, maxProperties));
  const before = isObject(place.live) ? place.live : {};
  for (const [name, value] of Object.entries(object)) {
    const declared = fieldSchema(schema, name);
    if (declared && value !== undefined) {
      errors.push(...judge(declared, { path: under(place.path, name), value, live: before[name] }));
    }
  }
  return errors;
}

function fieldSchema({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function combinedErrors({ allOf = [], anyOf, oneOf, not }: Schema, place: Place): FieldError[] {
  const judged = { path: place.path, value: place.value };
  const valid = (schema: Schema) => judge(schema, judged).length === 0;
  const errors = allOf.flatMap((schema) => judge(schema, judged));
  if (anyOf && !anyOf.some(valid)) errors.push(wrong(place, 'must validate at least one schema (anyOf)'));
  if (oneOf && oneOf.filter(valid).length !== 1) {
    errors.push(wrong(place, 'must validate one and only one schema (oneOf)'));
  }
  if (not && valid(not)) errors.push(wrong(place, 'must not validate the schema (not)'));
  return errors;
}
