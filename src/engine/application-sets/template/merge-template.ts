import type { ApplicationSetTemplate } from '#base/model';
import { isObject, type JsonObject } from '#base/std';

/**
 * compat sources AS-7: a generator's own template, with its empty fields filled from the set's: maps are united and the
 * generator wins, lists are taken whole, false counts as empty. The very same template when the generator has none.
 */
export function mergeTemplate(
  own: ApplicationSetTemplate | undefined,
  template: ApplicationSetTemplate,
): ApplicationSetTemplate {
  return own === undefined ? template : (filled(own, template as JsonObject) as ApplicationSetTemplate);
}

function filled(own: JsonObject, from: JsonObject): JsonObject {
  const merged = { ...own };
  for (const [name, value] of Object.entries(from)) {
    const present = own[name];
    if (isObject(present) && isObject(value)) {
      // compat: raw values are one field, however many they hold
      if (name !== 'valuesObject') merged[name] = filled(present, value);
    } else if (isEmptyValue(present)) merged[name] = value;
  }
  return merged;
}

/** What Go's merging counts as not set. */
export function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  if (value === 0 || value === 0n) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
