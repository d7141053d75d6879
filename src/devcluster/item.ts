import type { OwnerReference } from '#model';
import { isObject, type JsonObject } from '#schema';

/** Metadata as the server itself reads and writes it; everything is optional until a write has completed it. */
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

/** An object inside the server: decoded, with a metadata block, otherwise unknown. Never changed in place. */
export type Item = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly [field: string]: unknown;
};

export const nameOf = (item: Item): string => item.metadata.name ?? '';
export const specOf = (item: Item): JsonObject => (isObject(item.spec) ? item.spec : {});
export const namespaceOf = (item: Item): string => item.metadata.namespace ?? '';

/** `namespace/name`, or `/name` for cluster-scoped kinds: the order of these keys is the order of lists. */
export const itemKey = (namespace: string, name: string): string => `${namespace}/${name}`;

/** The item with some metadata replaced; undefined removes a field. */
export function withMeta(item: Item, change: { readonly [field in keyof Meta]?: unknown }): Item {
  const metadata: Record<string, unknown> = { ...kept(item.metadata, change) };
  for (const field in change) if (change[field] !== undefined) metadata[field] = change[field];
  return { ...item, metadata: metadata as Meta };
}

/** The fields that a change does not remove. An object that one was deleted from would be slow ever after. */
function kept(metadata: Meta, change: { readonly [field in keyof Meta]?: unknown }): Meta {
  for (const field in change) {
    if (change[field] !== undefined || !Object.hasOwn(metadata, field)) continue;
    const entries = Object.entries(metadata).filter(
      ([name]) => change[name] !== undefined || !Object.hasOwn(change, name),
    );
    return Object.fromEntries(entries);
  }
  return metadata;
}

/** The item with one top-level field replaced or, when undefined, removed. */
export function withField(item: Item, field: string, value: unknown): Item {
  const { [field]: _old, ...rest } = item;
  return (value === undefined ? rest : { ...rest, [field]: value }) as Item;
}
