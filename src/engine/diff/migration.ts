import { annotation, type KubeObject, type ManagedFieldsEntry } from '#base/model';
import { equal, FairleadError } from '#base/std';
import { FieldSet, fieldSetOf } from '#kubernetes/patch';
import { isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';
import { fieldManager } from './field-manager.ts';
import { lastAppliedOf } from './last-applied.ts';

/**
 * compat engine S-50: the field managers that applied an object client-side: those whose Update entries own
 * the last-applied annotation. There are several when several managers wrote the same value.
 */
export function clientSideAppliers({ metadata }: KubeObject): readonly ManagedFieldsEntry[] {
  if (metadata.annotations?.[annotation.lastApplied] === undefined) return [];
  return (metadata.managedFields ?? []).filter(isApplier);
}

function isApplier({ operation, subresource, fieldsV1 }: ManagedFieldsEntry): boolean {
  if (operation !== 'Update' || subresource || !isObject(fieldsV1)) return false;
  const metadata = fieldsV1['f:metadata'];
  const annotations = isObject(metadata) ? metadata['f:annotations'] : undefined;
  return isObject(annotations) && Object.hasOwn(annotations, `f:${annotation.lastApplied}`);
}

/**
 * Whether a first server-side apply may remove fields that a client-side apply wrote before and Git no longer
 * declares.
 */
export function leavesBehind(target: KubeObject, live: KubeObject): boolean {
  return clientSideAppliers(live).length > 0 && !equal(lastAppliedOf(live), target);
}

/**
 * dev engine D-22: the object with field ownership as after a sync that has migrated it (engine S-50), so that a
 * field of a client-side apply that Git no longer declares shows as a difference. Only declared fields count:
 * defaults and the changes of webhooks return by themselves. The same object where there is nothing to
 * migrate.
 */
export function afterMigration(live: KubeObject, type: TypeNode): KubeObject {
  const appliers = clientSideAppliers(live);
  const declared = appliers.length > 0 ? declaredIn(live, type) : undefined;
  if (!declared) return live;
  const entries = live.metadata.managedFields ?? [];
  const ours = entries.find(isOurs);
  const base = ours ?? { ...appliers[0], manager: fieldManager, operation: 'Apply' as const, fieldsV1: {} };
  const taken = appliers
    .filter(({ apiVersion }) => apiVersion === base.apiVersion)
    .map(({ fieldsV1 }) => FieldSet.parse(fieldsV1).intersect(declared));
  const owned = taken.reduce((all, some) => all.union(some), FieldSet.parse(base.fieldsV1));
  const others = entries.filter((entry) => entry !== ours && !appliers.includes(entry));
  const managedFields = [{ ...base, fieldsV1: owned.print() }, ...others];
  return { ...live, metadata: { ...live.metadata, managedFields } };
}

const isOurs = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  manager === fieldManager && operation === 'Apply' && !subresource;

/** The fields of the last applied object; undefined: it cannot be read, or does not fit the type. */
function declaredIn(live: KubeObject, type: TypeNode): FieldSet | undefined {
  const applied = lastAppliedOf(live);
  if (!isObject(applied) || applied.apiVersion !== live.apiVersion) return undefined;
  try {
    return fieldSetOf(applied as JsonObject, type);
  } catch (thrown) {
    if (thrown instanceof FairleadError) return undefined;
    throw thrown;
  }
}
