import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { FieldCheck } from '../validate/check.ts';

/** compat cluster 3.15: errors in fields that all versions share are reported at the definition itself. */
export function checkPaths(spec: FieldCheck): void {
  const versions = spec.field('versions').items();
  for (const [field, check] of checks) {
    const [first, ...others] = versions.map((version) => version.field(field).value);
    const isShared = first !== undefined && others.every((value) => equal(value, first));
    if (isShared) check(spec.at(`.${field}`, first), schemaOf(versions[0]));
    else for (const version of versions) check(version.field(field), schemaOf(version));
  }
}

const schemaOf = (version: FieldCheck | undefined): JsonObject =>
  version?.field('schema').field('openAPIV3Schema').object ?? {};

const checks = [
  ['subresources', (found: FieldCheck) => checkScale(found.field('scale'))],
  ['additionalPrinterColumns', checkColumns],
  ['selectableFields', checkSelectable],
] as const;

function checkScale(scale: FieldCheck): void {
  if (!scale.isSet) return;
  const roots = { specReplicasPath: ['.spec'], statusReplicasPath: ['.status'] } as const;
  for (const [field, allowed] of Object.entries(roots)) {
    const path = scale.field(field);
    if (!path.isSet) path.lacking();
    else checkUnder(path, allowed);
  }
  const selector = scale.field('labelSelectorPath');
  if (selector.isSet) checkUnder(selector, ['.spec', '.status']);
}

const simplePath = /^\.[^\s{}]+$/;
const notSimple = 'must be a simple json path starting with .';

function checkUnder(path: FieldCheck, roots: readonly string[]): void {
  if (!simplePath.test(path.text)) path.invalid(notSimple);
  else if (!roots.some((root) => path.text.startsWith(`${root}.`))) {
    const under = roots.length === 1 ? roots[0] : `either ${roots.join(' or ')}`;
    path.invalid(`should be a json path under ${under}`);
  }
}

const types = ['boolean', 'date', 'integer', 'number', 'string'];
const formats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function checkColumns(columns: FieldCheck): void {
  for (const column of columns.items()) checkColumn(column);
}

function checkColumn(column: FieldCheck): void {
  const [name, type, format] = [column.field('name'), column.field('type'), column.field('format')];
  if (!name.isSet) name.lacking();
  if (!type.isSet) type.lacking(`must be one of ${types.join(',')}`);
  else if (!types.includes(type.text)) type.invalid(`must be one of ${types.join(',')}`);
  if (format.isSet && !formats.includes(format.text)) format.invalid(`must be one of ${formats.join(',')}`);
  // compat cluster 3.15: reported by the name the field has in Go
  const path = column.at('.JSONPath', column.field('jsonPath').value);
  if (!path.isSet) path.lacking();
  else if (!simplePath.test(path.text)) path.invalid(notSimple);
}

const mostSelectable = 8;

function checkSelectable(fields: FieldCheck, schema: JsonObject): void {
  const seen = new Set<string>();
  for (const item of fields.items()) {
    const path = item.field('jsonPath');
    if (!path.isSet) path.lacking();
    else if (seen.has(path.text)) path.duplicate();
    else checkField(path, schema);
    if (path.isSet) seen.add(path.text);
  }
  if (seen.size <= mostSelectable) return;
  fields.add({
    type: 'Too many',
    field: fields.path,
    value: seen.size,
    detail: `must have at most ${mostSelectable} items`,
  });
}

function checkField(path: FieldCheck, schema: JsonObject): void {
  const { text } = path;
  if (!/^[.[]/.test(text)) {
    path.invalid(`is an invalid path: expected [ or . but got: ${/^[^.[]*/.exec(text)?.[0] ?? ''}`);
  } else if (/\[\d+\]/.test(text)) path.invalid('is an invalid path: array notation is not allowed');
  else {
    const field = fieldAt(schema, text.slice(1).split('.'));
    if (!field) path.invalid('is an invalid path: does not refer to a valid field');
    else if (!['string', 'boolean', 'integer'].includes(String(field.type))) {
      path.invalid(
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      );
    }
  }
}

/** compat cluster 3.15: metadata is common to all kinds, and no field of it is selectable. */
function fieldAt(schema: JsonObject, [first = '', ...rest]: readonly string[]): JsonObject | undefined {
  const { properties } = schema;
  const field = isObject(properties) && Object.hasOwn(properties, first) ? properties[first] : undefined;
  if (!isObject(field)) return undefined;
  return rest.length === 0 ? field : fieldAt(field, rest);
}
