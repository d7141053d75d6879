import { FairleadError, isObject } from '#base/std';

/**
 * What every renderer's output goes through (POST-1): null is dropped, an object with an `items` list becomes its
 * items, one with `items: null` and nothing else to say is dropped.
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
