import {
  applyDefaults,
  applySchemaDefaults,
  isObject,
  type JsonObject,
  prune,
  roundTrip,
} from '#kubernetes/schema';
import { type Item, withMeta } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { metaOnly } from './decode.ts';

/**
 * The object as the server reads it: unknown fields removed, values in their canonical form, defaults set.
 * Idempotent.
 */
export function complete(item: Item, resource: ServedResource): Item {
  if (resource.custom) return completeCustom(item, resource);
  const read = roundTrip(item as JsonObject, resource.type);
  const defaulted = applyDefaults(read);
  const whole = defaulted === read ? read : roundTrip(defaulted, resource.type);
  const full = withoutNullTimes(whole as Item);
  return resource.collection === 'apps/daemonsets' ? withTemplateGeneration(full, '1') : full;
}

export const templateGeneration = 'deprecated.daemonset.template.generation';

/** compat cluster 3.12: a DaemonSet counts its templates in an annotation; the field of that name is removed. */
function withTemplateGeneration(item: Item, count: string): Item {
  const { annotations = {} } = item.metadata;
  if (annotations[templateGeneration] !== undefined) return item;
  return withMeta(item, { annotations: { ...annotations, [templateGeneration]: count } });
}

/** As complete, but an empty managedFields stays: it resets all owners (compat cluster 3.9). */
export function completeTracked(item: Item, resource: ServedResource): Item {
  const completed = complete(item, resource);
  const { managedFields } = item.metadata;
  const isReset = Array.isArray(managedFields) && managedFields.length === 0;
  return isReset ? withMeta(completed, { managedFields }) : completed;
}

/** compat cluster 3.15: prune, then default; metadata is standard metadata whatever the schema declares. */
function completeCustom(item: Item, resource: ServedResource): Item {
  const { apiVersion, kind, metadata, ...rest } = item;
  const { value } = prune(rest, resource.type);
  const defaulted = applySchemaDefaults(value, resource.type);
  const read = roundTrip({ metadata } as JsonObject, metaOnly());
  const body = isObject(defaulted) ? defaulted : {};
  const { metadata: _ignored, ...fields } = body;
  return withoutNullTimes({ apiVersion, kind, ...read, ...fields } as Item);
}

/** A custom object pruned by the schema of this version. */
export function withoutUnknown(item: Item, resource: ServedResource): Item {
  const { apiVersion, kind, metadata, ...rest } = item;
  const { value } = prune(rest, resource.type);
  return { ...(isObject(value) && value), apiVersion, kind, metadata };
}

/** Go prints a zero creationTimestamp as null; the server sets the real one. */
function withoutNullTimes(item: Item): Item {
  if (item.metadata.creationTimestamp !== null) return item;
  const { creationTimestamp: _null, ...metadata } = item.metadata;
  return { ...item, metadata };
}
