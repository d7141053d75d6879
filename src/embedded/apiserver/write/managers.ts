import { groupOf, versionOf } from '#base/model';
import { applyServerSide, describeConflicts, FieldSet, recordUpdate } from '#kubernetes/patch';
import { type JsonObject, roundTrip, type StructType } from '#kubernetes/schema';
import { convert } from '../convert.ts';
import { type Core, timestamp } from '../core.ts';
import type { Item } from '../item.ts';
import { apiVersionOf, hasSubresource, type ServedResource } from '../kinds.ts';
import { applyConflict } from '../status.ts';
import type { Writing } from './writing.ts';

/** The object with its managedFields updated after a create, update or patch. */
export function recordManager(writing: Writing, live: Item | undefined, next: Item): Item {
  const before = (live ?? blankOf(writing.resource)) as JsonObject;
  return recordUpdate(before, next as JsonObject, writer(writing)) as Item;
}

/**
 * The live object with `applied` merged in, owned by the manager. Throws Conflict when other managers own changed
 * fields.
 */
export function applyAs(writing: Writing, live: Item | undefined, applied: Item, force: boolean): Item {
  const blank = blankOf(writing.resource);
  const before = (live ?? blank) as JsonObject;
  const result = applyServerSide(before, applied as JsonObject, { ...writer(writing), force, blank });
  if (result.outcome === 'applied') return result.object as Item;
  const { message, causes } = describeConflicts(result.conflicts);
  throw applyConflict(message, causes);
}

const blanks = new WeakMap<StructType, JsonObject>();

/**
 * compat cluster 3.9: a new object is compared with an empty one of its kind, so that fields that Go always prints
 * have no owner.
 */
function blankOf(resource: ServedResource): JsonObject {
  const { type, kind, custom } = resource;
  const known = blanks.get(type);
  if (known) return known;
  const named = { apiVersion: apiVersionOf(resource), kind };
  const blank = custom ? named : roundTrip(named, type);
  blanks.set(type, blank);
  return blank;
}

function writer({ core, resource, subresource, options }: Writing) {
  return {
    manager: options.manager,
    ...(subresource !== '' && { subresource }),
    time: timestamp(core),
    type: resource.type,
    resetFields: resetFields(resource, subresource),
    versions: {
      typeOf: (apiVersion: string) => otherVersion(core, resource, apiVersion)?.type,
      convert: (object: JsonObject, apiVersion: string) => {
        const to = otherVersion(core, resource, apiVersion);
        return (to ? convert(object as Item, to) : object) as JsonObject;
      },
    },
  };
}

function otherVersion(core: Core, resource: ServedResource, apiVersion: string): ServedResource | undefined {
  if (apiVersion === apiVersionOf(resource)) return resource;
  return core.kinds.find(groupOf({ apiVersion }), versionOf({ apiVersion }), resource.plural);
}

const none = FieldSet.empty;
const status = FieldSet.of([['status']]);
const spec = FieldSet.of([['spec']]);
const specAndLabels = FieldSet.of([['spec'], ['metadata', 'labels']]);

/** Fields that this endpoint resets; a write through it does not own them. */
function resetFields(resource: ServedResource, subresource: string): FieldSet {
  if (subresource === 'status') return resource.collection === 'apps/deployments' ? specAndLabels : spec;
  if (subresource === '' && hasSubresource(resource, 'status')) return status;
  return none;
}
