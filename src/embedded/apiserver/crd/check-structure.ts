import { isObject } from '#kubernetes/schema';
import type { FieldCheck } from '../validate/check.ts';

/** compat cluster 3.15: the fields that are forbidden inside allOf, anyOf, oneOf and not, with the error for each. */
const forbidden: readonly (readonly [field: string, detail: string])[] = [
  ['default', 'must be undefined to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['type', 'must be empty to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
];

/** Checks the value validations of a schema node: they may restrict, never declare structure. */
export function checkNested(check: FieldCheck): void {
  const isEither = check.object['x-kubernetes-int-or-string'] === true;
  for (const field of ['allOf', 'anyOf', 'oneOf']) {
    for (const part of check.field(field).items()) {
      const mayName = isEither && (field === 'anyOf' || hasEither(part));
      restrict(part, mayName);
    }
  }
  if (isObject(check.object.not)) restrict(check.field('not'), false);
}

const hasEither = (check: FieldCheck): boolean => check.field('anyOf').items().length === 2;

function restrict(check: FieldCheck, mayNameType: boolean): void {
  for (const [field, detail] of forbidden) {
    if (mayNameType && field === 'type') continue;
    const { value } = check.field(field);
    if (value !== undefined && value !== false && value !== '') check.field(field).forbidden(detail);
  }
  for (const { part, isAlternative } of partsOf(check)) restrict(part, mayNameType && isAlternative);
}

function* partsOf(check: FieldCheck): Generator<{ part: FieldCheck; isAlternative: boolean }> {
  const properties = check.field('properties');
  for (const name of Object.keys(properties.object)) {
    yield { part: properties.key(name), isAlternative: false };
  }
  for (const field of ['items', 'not']) {
    if (isObject(check.object[field])) yield { part: check.field(field), isAlternative: false };
  }
  for (const field of ['allOf', 'anyOf', 'oneOf']) {
    for (const part of check.field(field).items()) yield { part, isAlternative: field === 'anyOf' };
  }
}
