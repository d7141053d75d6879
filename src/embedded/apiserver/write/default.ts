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
 * The object as the server reads it: unknown fields gone, values in their canonical spelling, defaults filled in.
 * Doing it again changes nothing.
 */
export function complete(item: Item, resource: ServedResource): Item {
  if (resource.custom) return completeCustom(item, resource);
  const read = roundTrip(item as JsonObject, resource.type);
  const defaulted = applyDefaults(read);
  const whole = defaulted === read ? read : roundTrip(defaulted, resource.type);
  const full = withoutNullTimes(whole as Item);
  return resource.shelf === 'apps/daemonsets' ? withTemplateGeneration(full, '1') : full;
}

export const templateGeneration = 'deprecated.daemonset.template.generation';

/** compat 3.12: a DaemonSet counts its templates in an annotation; a field of that name is long gone. */
function withTemplateGeneration(item: Item, count: string): Item {
  const { annotations = {} } = item.metadata;
  if (annotations[templateGeneration] !== undefined) return item;
  return withMeta(item, { annotations: { ...annotations, [templateGeneration]: count } });
}

/** As complete, but an empty managedFields stays: it asks to forget all owners (compat 3.9). */
export function completeTracked(item: Item, resource: ServedResource): Item {
  const completed = complete(item, resource);
  const { managedFields } = item.metadata;
  const isReset = Array.isArray(managedFields) && managedFields.length === 0;
  return isReset ? withMeta(completed, { managedFields }) : completed;
}

/** compat 3.15: prune, then default; metadata is standard metadata whatever the schema says. */
function completeCustom(item: Item, resource: ServedResource): Item {
  const { apiVersion, kind, metadata, ...rest } = item;
  const { value } = prune(rest, resource.type);
  const defaulted = applySchemaDefaults(value, resource.type);
  const read = roundTrip({ metadata } as JsonObject, metaOnly());
  const body = isObject(defaulted) ? defaulted : {};
  const { metadata: _ignored, ...fields } = body;
  return withoutNullTimes({ apiVersion, kind, ...read, ...fields } as Item);
}

/** A custom object with only what the schema of this version knows. */
export function withoutUnknown(item: Item, resource: ServedResource): Item {
  const { apiVersion, kind, metadata, ...rest } = item;
  const { value } = prune(rest, resource.type);
  return { ...(isObject(value) && value), apiVersion, kind, metadata };
}

/** Go prints a zero creationTimestamp as null; objects that have one get it from us. */
function withoutNullTimes(item: Item): Item {
  if (item.metadata.creationTimestamp !== null) return item;
  const { creationTimestamp: _null, ...metadata } = item.metadata;
  return { ...item, metadata };
}
