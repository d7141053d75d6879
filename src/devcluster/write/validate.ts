import { equal } from '#std';
import { definitionErrors, definitionUpdateErrors } from '../crd/definition.ts';
import { customErrors } from '../crd/validate.ts';
import { type Item, nameOf } from '../item.ts';
import type { Resource } from '../kinds.ts';
import { type FieldError, invalid } from '../status.ts';
import { Check } from '../validate/check.ts';
import { finalizerWarnings, metaErrors, metaUpdateErrors } from '../validate/meta.ts';
import { rules } from '../validate/rules.ts';
import { warningsOf } from '../validate/warnings.ts';
import type { Writing } from './writing.ts';

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/** The item itself, or Invalid with everything that is wrong. */
export function validateNew(writing: Writing, item: Item): Item {
  const { resource } = writing;
  for (const warning of finalizerWarnings(resource, item)) writing.options.warn(warning);
  orThrow(resource, item, [...metaErrors(resource, item), ...contentErrors(writing, item)]);
  for (const warning of warningsOf(resource, item)) writing.options.warn(warning);
  return item;
}

/** As validateNew, and nothing that must not change may have changed. */
export function validateChanged(writing: Writing, live: Item, next: Item): Item {
  const { resource, subresource } = writing;
  for (const warning of finalizerWarnings(resource, next, live)) writing.options.warn(warning);
  const kept = metaUpdateErrors(live, next);
  // compat 3.13: what all objects must keep, built-in kinds check once more themselves
  const errors = [...metaErrors(resource, next), ...kept, ...(resource.custom ? [] : kept)];
  // an object on its way out must be able to lose its finalizers, whatever became of the rules since
  if (next.metadata.deletionTimestamp !== undefined && subresource === '' && equal(next.spec, live.spec)) {
    return orThrow(resource, next, errors);
  }
  if (resource.custom || subresource === '') errors.push(...contentErrors(writing, next, live));
  if (subresource === 'status') errors.push(...statusErrors(resource, next));
  orThrow(resource, next, errors);
  if (subresource === '')
    for (const warning of warningsOf(resource, next, live)) writing.options.warn(warning);
  return next;
}

function orThrow(resource: Resource, item: Item, errors: readonly FieldError[]): Item {
  if (errors.length === 0) return item;
  throw invalid(resource, nameOf(item), errors);
}

function statusErrors({ shelf }: Resource, next: Item): readonly FieldError[] {
  const check = new Check('', next);
  rules[shelf]?.status?.(check);
  return check.errors;
}

function contentErrors({ resource, options }: Writing, next: Item, live?: Item): readonly FieldError[] {
  if (resource.custom) return customErrors(resource.custom, next, live, options.warn);
  if (resource.shelf === definitions) {
    return live ? definitionUpdateErrors(live, next) : definitionErrors(next);
  }
  const rule = rules[resource.shelf];
  if (!rule) return [];
  const check = new Check('', next);
  rule.always?.(check);
  if (live) rule.kept?.(check, new Check('', live));
  return check.errors;
}
