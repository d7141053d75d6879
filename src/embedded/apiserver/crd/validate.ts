import { equal, printJson } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { Item } from '../item.ts';
import type { CustomKind } from '../kinds.ts';
import type { FieldError } from '../status.ts';
import { type JudgedValue, mistyped, type Schema, unplaced, wrong } from './judged.ts';
import { compileRules, type RuleNode } from './rules.ts';
import { matcher, ruleErrors } from './run-rules.ts';
import { numberErrors, textErrors } from './scalar.ts';

const rulesOf = new WeakMap<object, { readonly node: RuleNode | undefined }>();

/** Compiled when the first object is validated; the definition was checked when it was created. */
function rules(schema: JsonObject): RuleNode | undefined {
  let known = rulesOf.get(schema);
  if (!known) {
    known = { node: compileRules(schema) };
    rulesOf.set(schema, known);
  }
  return known.node;
}

/** All errors of an object against the definition's schema, in the words of Kubernetes (contract cluster 3.15). */
export function customErrors(
  { schema }: CustomKind,
  next: Item,
  live?: Item,
  warn: (message: string) => void = () => {},
): FieldError[] {
  if (!schema) return [];
  const errors = schemaErrors(schema, next, live);
  const node = rules(schema);
  if (!node) return errors;
  if (errors.some(isBlocking)) return [...errors, unplaced(unchecked, null)];
  return [...errors, ...ruleErrors(node, next, live, warn)];
}

const unchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
const blocking = new Set(['Unsupported value', 'Required value', 'Too long', 'Too many']);
const isBlocking = ({ type, reason }: FieldError): boolean =>
  blocking.has(type) || reason === 'FieldValueTypeInvalid';

function schemaErrors(schema: Schema, next: Item, live: Item | undefined): FieldError[] {
  const { metadata: _metadata, apiVersion: _version, kind: _kind, ...value } = next;
  const { properties = {}, required = [], ...rest } = schema;
  const { metadata: _meta, apiVersion: _v, kind: _k, ...fields } = properties;
  const standard = new Set(['metadata', 'apiVersion', 'kind']);
  const own = { ...rest, properties: fields, required: required.filter((name) => !standard.has(name)) };
  return judge(own, { path: '', value, live });
}

/** The errors of a value; a definition's defaults are validated by it too. */
export function judge(schema: Schema, place: JudgedValue): FieldError[] {
  const { value, live } = place;
  if (live !== undefined && equal(value, live)) return [];
  if (value === null) return schema.nullable || schema.type === undefined ? [] : [typeError(schema, place)];
  if (!hasType(schema, value)) return typeErrors(schema, place);
  return [
    ...combinedErrors(schema, place),
    ...shapeErrors(schema, place),
    ...enumErrors(schema, place),
    ...childErrors(schema, place),
  ];
}

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

const typeError = (schema: Schema, place: JudgedValue): FieldError =>
  mistyped(
    place,
    schema['x-kubernetes-int-or-string'] ? 'integer,string' : (schema.type ?? ''),
    typeName(place.value),
  );

function typeErrors(schema: Schema, place: JudgedValue): FieldError[] {
  const error = typeError(schema, place);
  if (schema.type !== 'integer' || typeof place.value !== 'number') return [error];
  const format = schema.format ? `with format ${schema.format}` : '(default format)';
  return [error, unplaced(`Checked value must be of type integer ${format} in ${place.path}`)];
}

function enumErrors({ enum: allowed }: Schema, { path, value }: JudgedValue): FieldError[] {
  if (!allowed || allowed.some((one) => equal(one, value))) return [];
  const detail = `supported values: ${allowed.map((one) => printJson(one)).join(', ')}`;
  return [{ type: 'Unsupported value', field: path, value, detail }];
}

function shapeErrors(schema: Schema, place: JudgedValue): FieldError[] {
  const { value } = place;
  if (typeof value === 'string') return textErrors(schema, place, value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    return numberErrors(schema, place, Number(value));
  }
  if (Array.isArray(value)) return listErrors(schema, place, value);
  return isObject(value) ? sizeErrors(schema, place, value) : [];
}

const tooMany = ({ path }: JudgedValue, count: number, limit: number): FieldError => ({
  type: 'Too many',
  field: path,
  value: count,
  detail: `must have at most ${limit} ${limit === 1 ? 'item' : 'items'}`,
});

function listErrors(schema: Schema, place: JudgedValue, items: readonly unknown[]): FieldError[] {
  const { minItems = 0, maxItems } = schema;
  const errors: FieldError[] = [];
  if (items.length < minItems) {
    errors.push(wrong(place, `should have at least ${minItems} items`, items.length));
  }
  if (maxItems !== undefined && items.length > maxItems) errors.push(tooMany(place, items.length, maxItems));
  return [...errors, ...duplicateErrors(schema, place, items)];
}

function duplicateErrors(schema: Schema, { path }: JudgedValue, items: readonly unknown[]): FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && kind !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, item] of items.entries()) {
    const value = kind === 'map' ? keysOf(item, keys) : item;
    const text = printJson(value);
    if (seen.has(text)) errors.push({ type: 'Duplicate value', field: `${path}[${index}]`, value });
    seen.add(text);
  }
  return errors;
}

const keysOf = (item: unknown, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.map((key) => [key, isObject(item) ? item[key] : undefined]));

const under = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function sizeErrors(schema: Schema, place: JudgedValue, object: JsonObject): FieldError[] {
  const { minProperties = 0, maxProperties } = schema;
  const count = Object.keys(object).length;
  const errors: FieldError[] = [];
  if (count < minProperties) {
    errors.push(wrong(place, `should have at least ${minProperties} properties`, count));
  }
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(place, count, maxProperties));
  return errors;
}

function childErrors(schema: Schema, place: JudgedValue): FieldError[] {
  if (Array.isArray(place.value)) return itemErrors(schema, place, place.value);
  return isObject(place.value) ? fieldErrors(schema, place, place.value) : [];
}

function itemErrors(schema: Schema, place: JudgedValue, items: readonly unknown[]): FieldError[] {
  const { items: itemSchema } = schema;
  if (!itemSchema) return [];
  const before = matcher(schema, place.live);
  return items.flatMap((value, index) =>
    judge(itemSchema, { path: `${place.path}[${index}]`, value, live: before?.(value) }),
  );
}

function fieldErrors(schema: Schema, place: JudgedValue, object: JsonObject): FieldError[] {
  const before = isObject(place.live) ? place.live : {};
  const errors: FieldError[] = (schema.required ?? [])
    .filter((name) => object[name] === undefined)
    .map((name) => ({ type: 'Required value', field: under(place.path, name) }));
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

/** compat cluster 3.15: of alternatives that all fail, the errors of the first are reported. */
function combinedErrors(
  { allOf = [], anyOf = [], oneOf = [], not }: Schema,
  place: JudgedValue,
): FieldError[] {
  const judged = { path: place.path, value: place.value };
  const about = (rule: string): FieldError => unplaced(`${JSON.stringify(place.path)} must ${rule}`);
  const errors: FieldError[] = [];
  const results = (schemas: readonly Schema[]) => schemas.map((schema) => judge(schema, judged));
  const any = results(anyOf);
  if (any.length > 0 && any.every((found) => found.length > 0)) {
    errors.push(about('validate at least one schema (anyOf)'), ...(any[0] ?? []));
  }
  errors.push(...oneOfErrors(results(oneOf), about));
  const all = results(allOf).filter((found) => found.length > 0);
  if (all.length > 0) {
    const suffix = all.length === allOf.length ? '. None validated' : '';
    errors.push(...all.flat(), about(`validate all the schemas (allOf)${suffix}`));
  }
  if (not && judge(not, judged).length === 0) errors.push(about('not validate the schema (not)'));
  return errors;
}

function oneOfErrors(
  one: readonly (readonly FieldError[])[],
  about: (rule: string) => FieldError,
): readonly FieldError[] {
  const valid = one.filter((found) => found.length === 0).length;
  if (one.length === 0 || valid === 1) return [];
  const rule = 'validate one and only one schema (oneOf). Found';
  if (valid > 0) return [about(`${rule} ${valid} valid alternatives`)];
  return [about(`${rule} none valid`), ...(one[0] ?? [])];
}
