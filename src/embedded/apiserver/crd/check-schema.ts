import { FairleadError } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { compileRegex } from '#lang/regex';
import type { FieldCheck } from '../validate/check.ts';
import { checkRules, checkTotal } from './check-rules.ts';
import { checkNested } from './check-structure.ts';
import type { Schema } from './judged.ts';
import type { RuleCost, SchemaPlace } from './schema-place.ts';
import { judge } from './validate.ts';

const unsupported = [
  '$ref',
  'id',
  'dependencies',
  'patternProperties',
  'definitions',
  'additionalItems',
  '$schema',
];
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const maxDepth = 500;

/** Checks a whole schema, and the total cost of its rules. */
export function checkRootSchema(check: FieldCheck): void {
  const costs: RuleCost[] = [];
  checkSchema(check, { role: 'root', uncorrelated: undefined, times: 1, costs });
  checkTotal(check, costs);
}

/** compat cluster 3.15: all requirements for a definition's schema, in the words of the real server. */
function checkSchema(check: FieldCheck, place: SchemaPlace, depth = 0): void {
  const schema = check.object as Schema;
  if (depth > maxDepth) {
    check.forbidden(`schemas nested more than ${maxDepth} deep are not supported`);
    return;
  }
  const before = check.errors.length;
  checkKeywords(check);
  checkNested(check);
  checkLists(check, schema);
  checkEmbedded(check, schema);
  checkType(check, schema, place);
  checkChildren(check, schema, place, depth);
  if (check.errors.length === before) checkDefault(check, schema);
  checkRules(check, schema, place, check.errors.length === before);
}

function checkKeywords(check: FieldCheck): void {
  for (const name of unsupported) {
    if (check.field(name).isSet) check.field(name).forbidden(`${name} is not supported`);
  }
  if (check.field('uniqueItems').value === true) {
    check
      .field('uniqueItems')
      .forbidden('uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
  }
  const pattern = check.field('pattern');
  const why = pattern.isSet ? patternProblem(pattern.text) : undefined;
  if (why !== undefined) pattern.invalid(`must be a valid regular expression, but isn't: ${why}`);
}

/** Why Go could not run a pattern; undefined when it could. */
function patternProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const found = /": (.*?)(?: at (".*"))?$/s.exec(error.message);
    const piece = found?.[2] === undefined ? '' : `: \`${JSON.parse(found[2])}\``;
    return `error parsing regexp: ${found?.[1] ?? error.message}${piece}`;
  }
}

function checkType(check: FieldCheck, schema: Schema, { role }: SchemaPlace): void {
  const type = check.field('type');
  if (!type.isSet) {
    const isOpen =
      schema['x-kubernetes-int-or-string'] || check.object['x-kubernetes-preserve-unknown-fields'];
    if (role === 'root') type.lacking('must not be empty at the root');
    else if (!isOpen) type.lacking(`must not be empty for specified ${role}`);
    return;
  }
  if (role === 'root' && type.text !== 'object') type.invalid('must be object at the root');
  else if (!types.includes(type.text)) type.unsupported(types);
  if (type.text === 'null') type.forbidden('type cannot be set to null, use nullable as an alternative');
}

function checkLists(check: FieldCheck, schema: Schema): void {
  const listType = check.field('x-kubernetes-list-type');
  if (listType.isSet) {
    if (schema.type !== 'array') {
      check.field('type').invalid('must be array if x-kubernetes-list-type is specified');
    }
    if (!['atomic', 'set', 'map'].includes(listType.text)) listType.unsupported(['atomic', 'set', 'map']);
    if (listType.text === 'map') checkKeys(check, schema);
    if (listType.text === 'set') checkSetItems(check, schema);
  }
  const mapType = check.field('x-kubernetes-map-type');
  if (!mapType.isSet) return;
  if (schema.type !== 'object') {
    check.field('type').invalid('must be object if x-kubernetes-map-type is specified');
  }
  if (!['atomic', 'granular'].includes(mapType.text)) mapType.unsupported(['atomic', 'granular']);
}

function checkKeys(check: FieldCheck, schema: Schema): void {
  const keys = check.field('x-kubernetes-list-map-keys');
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  if (names.length === 0) {
    keys.lacking('must not be empty if x-kubernetes-list-type is map');
    return;
  }
  const { properties = {}, required = [] } = schema.items ?? {};
  if (names.some((name) => !Object.hasOwn(properties, name))) {
    keys.invalid('entries must all be names of item properties');
    return;
  }
  for (const name of names) {
    if (required.includes(name) || properties[name]?.default !== undefined) continue;
    check
      .at(`.items.properties[${name}].default`)
      .lacking(
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      );
  }
}

function checkSetItems(check: FieldCheck, schema: Schema): void {
  const items = schema.items as (Schema & JsonObject) | undefined;
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    check
      .at('.items.x-kubernetes-map-type', items['x-kubernetes-map-type'] ?? null)
      .invalid('must be atomic as item of a list with x-kubernetes-list-type=set');
  }
}

function checkEmbedded(check: FieldCheck, schema: Schema): void {
  const open = check.field('x-kubernetes-preserve-unknown-fields');
  if (open.value === false) open.invalid('must be true or undefined');
  if (!schema['x-kubernetes-embedded-resource']) return;
  if (Object.keys(schema.properties ?? {}).length === 0 && open.value !== true) {
    check
      .field('properties')
      .lacking(
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      );
  }
  if (schema.type !== 'object') {
    check.field('type').invalid('must be object if x-kubernetes-embedded-resource is true');
  }
}

function checkChildren(check: FieldCheck, schema: Schema, place: SchemaPlace, depth: number): void {
  checkItems(check, schema, place, depth);
  if (isObject(check.object.additionalProperties)) {
    const values = check.field('additionalProperties');
    if (Object.keys(schema.properties ?? {}).length > 0) {
      values.forbidden('additionalProperties and properties are mutual exclusive');
    }
    const times = timesOf(place, schema.maxProperties);
    checkSchema(values, { ...place, role: 'additionalProperties', times }, depth + 1);
  }
  const isResource = place.role === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  for (const name of Object.keys(schema.properties ?? {})) {
    const property = check.field('properties').key(name);
    if (isResource && name === 'metadata') checkMetadata(property);
    else checkSchema(property, { ...place, role: 'object fields' }, depth + 1);
  }
}

const timesOf = ({ times }: SchemaPlace, limit: number | undefined): number | undefined =>
  times === undefined || limit === undefined ? undefined : times * limit;

function checkItems(check: FieldCheck, schema: Schema, place: SchemaPlace, depth: number): void {
  const items = check.field('items');
  if (isObject(items.value)) {
    const isKeyed = schema['x-kubernetes-list-type'] === 'map';
    const uncorrelated = place.uncorrelated ?? (isKeyed ? undefined : check.path);
    const times = timesOf(place, schema.maxItems);
    checkSchema(items, { ...place, role: 'array items', uncorrelated, times }, depth + 1);
  } else if (schema.type === 'array') {
    if (Array.isArray(items.value)) items.forbidden('items must be a schema object and not an array');
    else items.lacking('must be specified');
  }
}

/** The schema may restrict an object's names and nothing else of its metadata. */
function checkMetadata(check: FieldCheck): void {
  const { type, properties } = check.object as Schema;
  const extra = Object.keys(properties ?? {}).some((name) => name !== 'name' && name !== 'generateName');
  if (extra || (type !== undefined && type !== 'object')) {
    check.forbidden(
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    );
  }
}

/** compat cluster 3.15: a default must itself be valid. */
function checkDefault(check: FieldCheck, schema: Schema): void {
  if (schema.default === undefined || (schema.default === null && schema.nullable)) return;
  const place = check.field('default');
  for (const error of judge(schema, { path: '', value: schema.default })) {
    const inside = error.field === '<nil>' ? '' : `.${error.field}`;
    place.add({ ...error, field: `${place.path}${inside}` });
  }
}
