import { type Application, annotation, type KubeObject, type ManagedFieldsEntry } from '#base/model';
import { FieldSet } from '#kubernetes/patch';
import { fieldManager } from '../diff/field-manager.ts';
import { clientSideAppliers } from '../diff/migration.ts';
import type { SyncOptions } from './options.ts';

const clientSideManager = 'kubectl-client-side-apply';

/**
 * compat engine S-50: the managers whose client-side applies a first server-side apply takes over: the one
 * the Application names, or kubectl, unless that is switched off; and, as kubectl itself does whatever the
 * option, all that wrote the last-applied annotation. Our own manager is one of those.
 */
export function migratesFrom(app: Application, live: KubeObject, options: SyncOptions): readonly string[] {
  const named = app.metadata.annotations?.[annotation.clientSideApplyMigrationManager] || clientSideManager;
  const isMigrated = options.migrateClientSideApply && live.metadata.managedFields?.some(isUpdateOf([named]));
  const appliers = clientSideAppliers(live).flatMap(({ manager }) => manager ?? []);
  return [...new Set([...(isMigrated ? [named] : []), ...appliers])];
}

/**
 * The managedFields that make us the owner of what `from` owned by its updates. What it wrote through subresources
 * stays its own. The very same list when there is nothing to take over.
 */
export function migratedFields(
  entries: readonly ManagedFieldsEntry[],
  from: readonly string[],
): readonly ManagedFieldsEntry[] {
  const theirs = entries.filter(isUpdateOf(from));
  const [first] = theirs;
  if (!first) return entries;
  const ours = entries.find(isOurs);
  const base: ManagedFieldsEntry = ours ?? { ...first, manager: fieldManager, operation: 'Apply' };
  // paths of another version of the kind may mean something else, so only those of the same one are joined
  const joined = theirs.filter((entry) => entry !== first || ours !== undefined).filter(sameVersion(base));
  const owned = joined.reduce((set, { fieldsV1 }) => set.union(fieldsOf(fieldsV1)), fieldsOf(base.fieldsV1));
  const next: ManagedFieldsEntry = { ...base, fieldsV1: owned.print() };
  const gone = new Set([...theirs, ...(ours ? [ours] : [])]);
  return [next, ...entries.filter((entry) => !gone.has(entry))];
}

const isUpdateOf =
  (from: readonly string[]) =>
  ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
    manager !== undefined && from.includes(manager) && operation === 'Update' && !subresource;
const isOurs = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  manager === fieldManager && operation === 'Apply' && !subresource;
const sameVersion =
  ({ apiVersion }: ManagedFieldsEntry) =>
  (entry: ManagedFieldsEntry): boolean =>
    entry.apiVersion === apiVersion;
const fieldsOf = (fields: ManagedFieldsEntry['fieldsV1']): FieldSet => FieldSet.parse(fields ?? {});
