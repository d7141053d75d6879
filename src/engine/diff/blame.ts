import type { KubeObject, ManagedFieldsEntry } from '#base/model';
import { equal, parseJson } from '#base/std';
import { isObject } from '#kubernetes/schema';

/** The field manager that last wrote a field, from managedFields. */
export type FieldWriter = { readonly manager: string; readonly operation?: string; readonly time?: string };

/** The last field manager of a path in a live object; undefined when managedFields do not name one. */
export function writerOf(live: KubeObject, path: readonly (string | number)[]): FieldWriter | undefined {
  const owners = (live.metadata.managedFields ?? []).filter((entry) => owns(entry, live, path));
  const last = owners.reduce<ManagedFieldsEntry | undefined>(
    (latest, entry) => (latest && (latest.time ?? '') > (entry.time ?? '') ? latest : entry),
    undefined,
  );
  if (!last?.manager) return undefined;
  const { manager, operation, time } = last;
  return { manager, ...(operation && { operation }), ...(time && { time }) };
}

/** Walks the path through the entry's field set; a set that ends early owns everything below. */
function owns(
  { fieldsV1 }: ManagedFieldsEntry,
  live: KubeObject,
  path: readonly (string | number)[],
): boolean {
  let fields: unknown = fieldsV1;
  let value: unknown = live;
  for (const step of path) {
    if (!isObject(fields)) return false;
    if (isAtomic(fields)) return true;
    const child = childOf(value, step);
    const next = Array.isArray(value) ? itemFields(fields, child, Number(step)) : fields[`f:${step}`];
    if (next === undefined) return false;
    fields = next;
    value = child;
  }
  return isObject(fields);
}

const isAtomic = (fields: Record<string, unknown>): boolean =>
  Object.keys(fields).every((key) => key === '.');

function childOf(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) ? value[step] : undefined;
}

/** managedFields name list items by their keys, their value or their index. */
function itemFields(fields: Record<string, unknown>, item: unknown, at: number): unknown {
  for (const [name, below] of Object.entries(fields)) {
    if (name === `i:${at}`) return below;
    if (name.startsWith('v:') && equal(parseJson(name.slice(2)), item)) return below;
    if (name.startsWith('k:') && hasKeys(item, parseJson(name.slice(2)))) return below;
  }
  return undefined;
}

function hasKeys(item: unknown, keys: unknown): boolean {
  if (!isObject(item) || !isObject(keys)) return false;
  return Object.entries(keys).every(([key, value]) => equal(item[key], value));
}
