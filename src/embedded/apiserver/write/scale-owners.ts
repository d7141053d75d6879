import { isObject, type JsonObject } from '#kubernetes/schema';
import { type Item, withMeta } from '../item.ts';

/** The path of the replica count in the scaled object. */
type FieldLocation = { readonly path: readonly string[]; readonly apiVersion: string };

/** compat cluster 3.8: the managers of a Scale are those of the replica count in the scaled object. */
export function scaleWithOwners(scale: Item, { metadata }: Item, path: readonly string[]): Item {
  const owners = (metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => owns(fieldsV1, path))
    .map((entry) => ({
      ...entry,
      apiVersion: 'autoscaling/v1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    }));
  return withMeta(scale, { managedFields: owners.length > 0 ? owners : undefined });
}

/**
 * The reverse: a manager that no longer owns the replica count loses it there, a new one is added, without a time.
 */
export function ownersOfParent(
  { metadata }: Item,
  scaleOwners: readonly JsonObject[],
  { path, apiVersion }: FieldLocation,
): JsonObject[] | undefined {
  const owning = new Map(
    scaleOwners
      .filter(({ fieldsV1 }) => owns(fieldsV1, ['spec', 'replicas']))
      .map((entry) => [identity(entry), entry]),
  );
  const kept = (metadata.managedFields ?? []).flatMap((entry) => {
    if (!owns(entry.fieldsV1, path)) return [entry];
    if (owning.delete(identity(entry))) return [entry];
    const fieldsV1 = without(entry.fieldsV1, path);
    return fieldsV1 === undefined ? [] : [{ ...entry, fieldsV1 }];
  });
  const added = [...owning.values()].map(({ manager, operation, subresource }) => ({
    manager,
    operation,
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: holding(path),
    ...(subresource !== undefined && { subresource }),
  }));
  const all = [...kept, ...added].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return all.length > 0 ? all : undefined;
}

const identity = ({ manager, operation, subresource }: JsonObject): string =>
  JSON.stringify([manager, operation, subresource ?? '']);

/** compat cluster 3.9: the order of managedFields. */
const rank = ({ operation, time = '', manager, subresource = '' }: JsonObject): string =>
  JSON.stringify([operation, time, manager, subresource]);

function owns(fields: unknown, path: readonly string[]): boolean {
  let at = fields;
  for (const step of path) at = isObject(at) ? at[`f:${step}`] : undefined;
  return isObject(at) && (Object.keys(at).length === 0 || '.' in at);
}

const holding = ([first = '', ...rest]: readonly string[]): JsonObject => ({
  [`f:${first}`]: rest.length === 0 ? {} : holding(rest),
});

/** undefined when nothing is left. */
function without(fields: unknown, [first = '', ...rest]: readonly string[]): JsonObject | undefined {
  const { [`f:${first}`]: child, ...others } = fields as JsonObject;
  const left = rest.length === 0 ? undefined : without(child, rest);
  const next = left === undefined ? others : { ...others, [`f:${first}`]: left };
  if (Object.keys(next).length === 0) return undefined;
  return Object.keys(next).join() === '.' ? {} : next;
}
