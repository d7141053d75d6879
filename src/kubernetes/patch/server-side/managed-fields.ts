import { compareBytes, type ManagedFieldsEntry } from '#base/model';
import { FairleadError } from '#base/std';
import type { JsonObject, TypeNode } from '#kubernetes/schema';
import { capUpdaters } from './cap.ts';
import type { Conflict } from './conflict.ts';
import {
  describeOwner,
  entriesOf,
  type FieldOwners,
  identityOf,
  printManaged,
  readManaged,
  unmanaged,
  withEntries,
} from './entries.ts';
import { FieldSet } from './field-set.ts';
import { fieldsOfClientApply, refreshLastApplied } from './last-applied.ts';
import {
  applyConfiguration,
  type FieldOwner,
  type Owners,
  ownersAfterUpdate,
  type VersionFrame,
  type Versions,
} from './ownership.ts';
import { problemsOf } from './validate.ts';

/** The manager of a write, its endpoint and its time (RFC 3339, seconds). */
export type ManagerWrite = {
  readonly manager: string;
  readonly subresource?: string;
  readonly time: string;
  readonly type: TypeNode;
  /** Fields this endpoint ignores (`status` on the main one): never owned through it. */
  readonly resetFields?: FieldSet;
  readonly versions?: Versions;
};

export type ManagedApplyOptions = ManagerWrite & {
  readonly force: boolean;
  /** An empty object of the kind, as it would be printed: no manager owns the fields in it. */
  readonly blank?: JsonObject;
};

export type ApplyResult =
  | { readonly outcome: 'applied'; readonly object: JsonObject }
  | { readonly outcome: 'conflict'; readonly conflicts: readonly Conflict[] };

/** compat cluster 3.9: no manager owns the fields that the API server itself writes into every object. */
const serverFields = FieldSet.of([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
]);

const apiVersionOf = (object: JsonObject): string => String(object.apiVersion ?? '');

const frameOf = (writer: ManagerWrite, apiVersion: string): VersionFrame => ({
  apiVersion,
  type: writer.type,
  ignored: writer.resetFields ?? FieldSet.empty,
  versions: writer.versions,
});

function writerId(writer: ManagerWrite, operation: 'Apply' | 'Update', apiVersion: string): string {
  const manager = writer.manager === '' ? 'unknown' : writer.manager;
  return identityOf({ manager, operation, apiVersion, subresource: writer.subresource ?? '' });
}

function uidOf({ metadata }: JsonObject): unknown {
  return (metadata as { uid?: unknown } | undefined)?.uid;
}

/** compat cluster 3.9: `[]` or `[{}]` in a request drops all records; an unreadable list counts as none. */
function managedBefore(live: JsonObject, next: JsonObject, writer: ManagerWrite): FieldOwners {
  const sent = writer.subresource === undefined ? entriesOf(next) : undefined;
  if (sent !== undefined && isReset(sent)) return unmanaged;
  const fromRequest = readable(sent ?? []);
  return fromRequest.owners.size > 0 ? fromRequest : readable(entriesOf(live) ?? []);
}

const isReset = (entries: readonly ManagedFieldsEntry[]): boolean =>
  entries.length < 2 && entries.every((entry) => Object.keys(entry).length === 0);

function readable(entries: readonly ManagedFieldsEntry[]): FieldOwners {
  if (entries.length === 0) return unmanaged;
  try {
    return readManaged(entries);
  } catch (error) {
    if (error instanceof FairleadError) return unmanaged;
    throw error;
  }
}

/** Removes the API server's own fields from one owner; an owner without fields is dropped. */
function withoutServerFields(managed: FieldOwners, id: string): FieldOwners {
  const owner = managed.owners.get(id);
  if (owner === undefined) return managed;
  const owners = new Map(managed.owners);
  const set = owner.set.subtract(serverFields);
  if (set.isEmpty) owners.delete(id);
  else owners.set(id, { ...owner, set });
  return { owners, times: managed.times };
}

const passing = 'current-operation';

/** The fields that this write alone took are added to its manager's, and only then does its time change. */
function afterUpdate(
  live: JsonObject,
  next: JsonObject,
  managed: FieldOwners,
  writer: ManagerWrite,
): FieldOwners {
  const apiVersion = apiVersionOf(next);
  const at = { self: passing, frame: frameOf(writer, apiVersion) };
  const owners = new Map(ownersAfterUpdate(live, next, managed.owners, at));
  const id = writerId(writer, 'Update', apiVersion);
  const taken = withoutServerFields({ owners, times: managed.times }, passing).owners.get(passing);
  owners.delete(passing);
  if (taken === undefined) return { owners, times: managed.times };
  const before = owners.get(id)?.set ?? FieldSet.empty;
  owners.set(id, { ...taken, set: taken.set.union(before) });
  return { owners, times: new Map(managed.times).set(id, writer.time) };
}

/**
 * Ownership after any other write: `next` (defaulted, admitted) with its metadata.managedFields brought up to date.
 * `live` is the stored object, or an empty one without a uid on create: what it has already gets no owner.
 */
export function recordUpdate(live: JsonObject, next: JsonObject, writer: ManagerWrite): JsonObject {
  const managed = managedBefore(live, next, writer);
  const [before, after] = [withEntries(live, []), withEntries(next, [])];
  // compat cluster 3.9: an existing object without records stays so until its first apply
  if (managed.owners.size === 0 && uidOf(live) !== undefined) return after;
  try {
    const result = capUpdaters(afterUpdate(before, after, managed, writer));
    return withEntries(after, printManaged(result));
  } catch (error) {
    // compat cluster 3.9: an object whose list items cannot be distinguished loses its record
    if (error instanceof FairleadError) return after;
    throw error;
  }
}

function refuseUnapplicable(applied: JsonObject, type: TypeNode): void {
  if (entriesOf(applied) !== undefined) {
    throw new FairleadError('InvalidSpec', 'metadata.managedFields must be nil');
  }
  const problems = problemsOf(applied, type);
  if (problems.length === 0) return;
  const list =
    problems.length === 1 ? problems[0] : `errors:\n${problems.map((line) => `  ${line}`).join('\n')}`;
  throw new FairleadError('InvalidSpec', `failed to create typed patch object (${named(applied)}): ${list}`);
}

function named({ apiVersion, kind, metadata }: JsonObject): string {
  const { namespace = '', name = '' } = (metadata ?? {}) as { namespace?: string; name?: string };
  // the core group has no name, but Go prints its slash
  const groupVersion = String(apiVersion).includes('/') ? String(apiVersion) : `/${String(apiVersion)}`;
  return `${namespace}/${name}; ${groupVersion}, Kind=${String(kind)}`;
}

/** compat cluster 3.9: the first apply records all fields of an untracked object under `before-first-apply`. */
function managedForApply(live: JsonObject, bare: JsonObject, writer: ManagedApplyOptions): FieldOwners {
  const managed = readManaged(entriesOf(live) ?? []);
  if (managed.owners.size > 0 || uidOf(live) === undefined) return managed;
  const empty = writer.blank ?? { apiVersion: bare.apiVersion, kind: bare.kind };
  return afterUpdate(empty, bare, unmanaged, { ...writer, manager: 'before-first-apply' });
}

/**
 * Server-side apply. `live` is the stored object in the applied apiVersion, or, when there is none yet, an empty one
 * without a uid. Defaulting the result is the caller's next step.
 * Throws InvalidSpec for a configuration that does not fit the type.
 */
export function applyServerSide(
  live: JsonObject,
  applied: JsonObject,
  options: ManagedApplyOptions,
): ApplyResult {
  refuseUnapplicable(applied, options.type);
  const bare = withEntries(live, []);
  const managed = managedForApply(live, bare, options);
  const first = attempt(bare, applied, managed, options);
  if (!('conflicts' in first)) return finished(first, applied, options);
  const conflicts =
    options.manager === 'kubectl' ? minusClientApply(first.conflicts, bare, options) : first.conflicts;
  if (conflicts.size > 0) return { outcome: 'conflict', conflicts: listed(conflicts) };
  const forced = attempt(bare, applied, managed, { ...options, force: true });
  if ('conflicts' in forced) throw new FairleadError('Internal', 'a forced apply cannot conflict');
  return finished(forced, applied, options);
}

type Attempt =
  | { readonly object: JsonObject; readonly managed: FieldOwners }
  | { readonly conflicts: Conflicts };
type Conflicts = ReadonlyMap<string, FieldSet>;

function attempt(
  live: JsonObject,
  applied: JsonObject,
  managed: FieldOwners,
  options: ManagedApplyOptions,
): Attempt {
  const frame = frameOf(options, apiVersionOf(applied));
  const self = writerId(options, 'Apply', frame.apiVersion);
  const result = applyConfiguration(live, applied, managed.owners, { self, frame, force: options.force });
  if ('conflicts' in result) return result;
  const times = result.changed ? new Map(managed.times).set(self, options.time) : managed.times;
  const cleaned = withoutServerFields({ owners: result.owners, times }, self);
  return { object: result.object, managed: { ...cleaned, owners: settled(cleaned.owners, managed.owners) } };
}

/** Sets that did not change stay the objects they were: they are known in print already. */
function settled(after: Owners, before: Owners): Owners {
  const kept = [...after].map(([id, owner]): [string, FieldOwner] => {
    const former = before.get(id);
    return [id, former?.set.equals(owner.set) ? { ...owner, set: former.set } : owner];
  });
  return new Map(kept);
}

function finished(
  { object, managed }: Exclude<Attempt, { conflicts: Conflicts }>,
  applied: JsonObject,
  { manager }: ManagedApplyOptions,
): ApplyResult {
  const annotated = manager === 'kubectl' ? refreshLastApplied(object, applied) : object;
  return { outcome: 'applied', object: withEntries(annotated, printManaged(managed)) };
}

function minusClientApply(conflicts: Conflicts, live: JsonObject, { type }: ManagedApplyOptions): Conflicts {
  const allowed = fieldsOfClientApply(live, type);
  const left = [...conflicts].map(([id, set]) => [id, set.subtract(allowed)] as const);
  return new Map(left.filter(([, set]) => !set.isEmpty));
}

function listed(conflicts: Conflicts): Conflict[] {
  const sorted = [...conflicts].sort(([a], [b]) => compareBytes(a, b));
  return sorted.flatMap(([id, set]) => set.paths().map((field) => ({ manager: describeOwner(id), field })));
}
