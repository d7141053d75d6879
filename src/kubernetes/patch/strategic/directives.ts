import { FairleadError } from '#base/std';
import { anyType, isObject, type SchemaField, type TypeNode } from '#kubernetes/schema';

/** Keys of a strategic merge patch that say how, not what. */
export const directive = {
  patch: '$patch',
  retainKeys: '$retainKeys',
  deleteFrom: '$deleteFromPrimitiveList',
  order: '$setElementOrder',
} as const;

/** How one field of an object is patched. `type` is its own type, or its items' if it is a list. */
export type PatchRule = {
  readonly type: TypeNode;
  readonly strategy: SchemaField['patch'];
  readonly mergeKey: string | undefined;
  readonly retainKeys: boolean;
};

const plainRule = (type: TypeNode): PatchRule => ({
  type,
  strategy: 'default',
  mergeKey: undefined,
  retainKeys: false,
});

const unwrapped = (type: TypeNode): TypeNode => (type.kind === 'list' ? type.items : type);

/** Undeclared fields are patched by default: objects merge, lists are replaced. */
export function ruleFor(type: TypeNode, name: string): PatchRule {
  if (type.kind === 'map') return plainRule(unwrapped(type.values));
  const field = type.kind === 'struct' ? type.fields.get(name) : undefined;
  if (field === undefined) return plainRule(anyType);
  return {
    type: unwrapped(field.type),
    strategy: field.patch,
    mergeKey: field.mergeKey,
    retainKeys: field.retainKeys,
  };
}

/** A patch that cannot be applied: the API server's words for why. */
export function badPatch(message: string): FairleadError {
  return new FairleadError('InvalidSpec', message);
}

/** Values as Go prints them with %v, which is how these messages have always shown them. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${goText(value[name])}`).join(' ')}]`;
}

/** Drops the `$patch` maps of a new value; undefined if nothing is left of it. */
export function withoutPatchMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatchMaps).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive.patch)) return undefined;
  const kept = Object.entries(value).map(([name, field]) => [name, withoutPatchMaps(field)] as const);
  return Object.fromEntries(kept.filter(([, field]) => field !== undefined));
}

const isLeftover = (name: string): boolean =>
  name === directive.retainKeys ||
  name.startsWith(`${directive.order}/`) ||
  name.startsWith(`${directive.deleteFrom}/`);

/**
 * A value as an object takes it when it had none: without null fields and without directives, which were meant for a
 * value that is already there. Null items of a list stay.
 * dev cluster 3.11: upstream leaves some of these in the result and trusts the decoder to drop them as unknown fields.
 */
export function asNewValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asNewValue).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive.patch)) return undefined;
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const next = field === null || isLeftover(name) ? undefined : asNewValue(field);
    if (next !== undefined) kept.push([name, next]);
  }
  return Object.fromEntries(kept);
}

/** The merge key's value. Throws InvalidSpec when the item is no object or lacks it. */
export function keyValue(item: unknown, mergeKey: string): unknown {
  if (!isObject(item)) throw badPatch(`expected a map, but received ${goText(item)}`);
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  throw badPatch(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** The `$patch` an item carries; undefined for ordinary items. */
export const patchOf = (item: unknown): unknown =>
  isObject(item) && Object.hasOwn(item, directive.patch) ? item[directive.patch] : undefined;

/** Whether a list contains objects. Throws InvalidSpec for lists of lists and for mixed lists. */
export function holdsObjects(...lists: readonly (readonly unknown[])[]): boolean {
  const items = lists.flat();
  if (items.some(Array.isArray)) throw badPatch('lists of lists are not supported');
  const objects = items.filter(isObject).length;
  if (objects !== 0 && objects !== items.length) {
    throw badPatch(`list element types are not identical: ${goText(lists)}`);
  }
  return objects > 0;
}

/** The list of a directive. */
export function listOf(value: unknown, message: string): unknown[] {
  if (!Array.isArray(value)) throw badPatch(message);
  return value;
}
