import { applyDefaults, applySchemaDefaults, isObject, type JsonObject, prune, roundTrip } from '#schema';
import type { Item } from '../item.ts';
import type { Resource } from '../kinds.ts';
import { metaOnly } from './decode.ts';

/**
 * The object as the server reads it: unknown fields gone, values in their canonical spelling, defaults filled in.
 * Doing it again changes nothing.
 */
export function complete(item: Item, resource: Resource): Item {
  if (resource.custom) return completeCustom(item, resource);
  const read = roundTrip(item as JsonObject, resource.type);
  return withoutNullTimes(roundTrip(applyDefaults(read), resource.type) as Item);
}

/** compat 3.15: prune, then default; metadata is standard metadata whatever the schema says. */
function completeCustom(item: Item, resource: Resource): Item {
  const { apiVersion, kind, metadata, ...rest } = item;
  const { value } = prune(rest, resource.type);
  const defaulted = applySchemaDefaults(value, resource.type);
  const read = roundTrip({ metadata } as JsonObject, metaOnly());
  const body = isObject(defaulted) ? defaulted : {};
  const { metadata: _ignored, ...fields } = body;
  return withoutNullTimes({ apiVersion, kind, ...read, ...fields } as Item);
}

/** Go prints a zero creationTimestamp as null; objects that have one get it from us. */
function withoutNullTimes(item: Item): Item {
  if (item.metadata.creationTimestamp !== null) return item;
  const { creationTimestamp: _null, ...metadata } = item.metadata;
  return { ...item, metadata };
}
