import type { OwnerReference } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';

/** Metadata as the server itself reads and writes it; all fields are optional until a write has completed it. */
export type Meta = {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly JsonObject[];
  readonly [field: string]: unknown;
};

/** An object inside the server: decoded, with metadata, otherwise untyped. Never changed in place. */
export type Item = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly [field: string]: unknown;
};

export const nameOf = (item: Item): string => item.metadata.name ?? '';
export const specOf = (item: Item): JsonObject => (isObject(item.spec) ? item.spec : {});
export const namespaceOf = (item: Item): string => item.metadata.namespace ?? '';

/** `namespace/name`, or `/name` for cluster-scoped kinds: lists are in the order of these keys. */
export const itemKey = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The item with some metadata replaced; undefined removes a field. Itself when that changes nothing. */
export function withMeta(item: Item, change: { readonly [field in keyof Meta]?: unknown }): Item {
  const { metadata } = item;
  let isChanged = false;
  let isSmaller = false;
  for (const field in change) {
    if (metadata[field] === change[field]) continue;
    isChanged = true;
    isSmaller ||= change[field] === undefined;
  }
  if (!isChanged) return item;
  const next: Record<string, unknown> = isSmaller ? kept(metadata, change) : { ...metadata };
  for (const field in change) if (change[field] !== undefined) next[field] = change[field];
  return { ...item, metadata: next as Meta };
}

/** A copy without the fields that a change removes. Deleting fields from an object would make it slow in V8. */
function kept(metadata: Meta, change: { readonly [field in keyof Meta]?: unknown }): Record<string, unknown> {
  const next: Record<string, unknown> = {};
  for (const field in metadata) {
    if (change[field] !== undefined || !Object.hasOwn(change, field)) next[field] = metadata[field];
  }
  return next;
}

/** The item with one top-level field replaced or, when undefined, removed. */
export function withField(item: Item, field: string, value: unknown): Item {
  const { [field]: _old, ...rest } = item;
  return (value === undefined ? rest : { ...rest, [field]: value }) as Item;
}
