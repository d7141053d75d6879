import { FairleadError, isObject } from '#base/std';

/**
 * Post-processing of every renderer's output (sources POST-1): null is dropped, an object with an `items` list becomes
 * its items, one with only `items: null` is dropped.
 */
export function expanded(value: unknown, where: string): unknown[] {
  if (value === null || value === undefined) return [];
  if (!isObject(value) || !('items' in value)) return [value];
  if (Array.isArray(value.items)) return value.items.map((item) => listItem(item, where)); // compat: whatever its kind
  if (value.items === null && !('spec' in value) && !('status' in value)) return [];
  return [value];
}

function listItem(item: unknown, where: string): unknown {
  if (isObject(item)) return item;
  throw new FairleadError('RenderFailed', `${where}: resource list item has unexpected type`);
}
