import { convertAutoscaler } from './convert-autoscaler.ts';
import type { Item } from './item.ts';
import { apiVersionOf, type ServedResource } from './kinds.ts';
import { plainFailure } from './status.ts';
import { withoutUnknown } from './write/default.ts';

/** The same object in another version of its kind. Only two built-in kinds differ by more than their apiVersion. */
export function convert(item: Item, to: ServedResource): Item {
  if (item.apiVersion === apiVersionOf(to)) return item;
  const other = rewritten(item, to);
  // compat cluster 3.15: fields unknown to the requested version are dropped; defaults come from the storage
  // version
  return to.custom && !to.custom.isUniform ? withoutUnknown(other, to) : other;
}

function rewritten(item: Item, to: ServedResource): Item {
  const apiVersion = apiVersionOf(to);
  if (item.apiVersion === apiVersion) return item;
  if (to.collection === '/events') return convertEvent(item, apiVersion);
  if (to.collection === 'autoscaling/horizontalpodautoscalers') return convertAutoscaler(item, apiVersion);
  const why = to.custom?.unconvertible?.();
  if (why === undefined) return { ...item, apiVersion };
  // compat cluster 3.15: only the conversion webhook could convert a kind that has one
  throw plainFailure(`conversion webhook for ${item.apiVersion}, Kind=${item.kind} failed: ${why}`);
}

/** The object in its storage version. */
export function toKept(item: Item, resource: ServedResource): Item {
  const { kept } = resource;
  return rewritten(item, { ...resource, group: kept.group, version: kept.version, kind: kept.kind });
}

/** Core name of a field → its name in events.k8s.io. */
const eventFields: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['count', 'deprecatedCount'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['reportingComponent', 'reportingController'],
];

function convertEvent(item: Item, apiVersion: string): Item {
  const toCore = apiVersion === 'v1';
  const renamed = new Map(eventFields.map(([core, events]) => (toCore ? [events, core] : [core, events])));
  const fields = Object.entries(item).map(([field, value]) => [renamed.get(field) ?? field, value]);
  return { ...(Object.fromEntries(fields) as Item), apiVersion };
}
