import { equal } from '#base/std';
import type { JsonObject, TypeNode } from '#kubernetes/schema';
import { compareFields, type FieldComparison } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { mergeTyped } from './merge.ts';
import { reconcile, withNamedFields } from './named-fields.ts';
import { removeFields } from './remove.ts';

/** The fields that one manager owns, and the version of the kind they were written in. */
export type FieldOwner = { readonly set: FieldSet; readonly apiVersion: string; readonly applied: boolean };

/** Owners by identity. A new map is made for every change. */
export type Owners = ReadonlyMap<string, FieldOwner>;

/** How field sets recorded in other versions of the same kind are read. Leave out when there is one version. */
export type Versions = {
  /** undefined: no longer served; records of that version are dropped. */
  readonly typeOf: (apiVersion: string) => TypeNode | undefined;
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
};

/** The current version, and how to convert others. `ignored` fields are never owned through this endpoint. */
export type VersionFrame = {
  readonly apiVersion: string;
  readonly type: TypeNode;
  readonly ignored: FieldSet;
  readonly versions: Versions | undefined;
};

type Typed = { readonly value: JsonObject; readonly type: TypeNode };

/** The object in another version; undefined when that version is no longer served. */
function viewed(value: JsonObject, apiVersion: string, frame: VersionFrame): Typed | undefined {
  if (apiVersion === frame.apiVersion || frame.versions === undefined) return { value, type: frame.type };
  const type = frame.versions.typeOf(apiVersion);
  return type === undefined ? undefined : { value: frame.versions.convert(value, apiVersion), type };
}

function reconciled(owners: Owners, frame: VersionFrame): Map<string, FieldOwner> {
  const kept = new Map<string, FieldOwner>();
  for (const [id, owner] of owners) {
    const type = owner.apiVersion === frame.apiVersion ? frame.type : typeIn(owner.apiVersion, frame);
    if (type !== undefined) kept.set(id, { ...owner, set: reconcile(owner.set, type) });
  }
  return kept;
}

const typeIn = (apiVersion: string, { versions, type }: VersionFrame): TypeNode | undefined =>
  versions === undefined ? type : versions.typeOf(apiVersion);

/** Compares two objects once per version in which a manager's fields are recorded. */
class Comparisons {
  readonly #before: JsonObject;
  readonly #after: JsonObject;
  readonly #frame: VersionFrame;
  readonly #known = new Map<string, FieldComparison | undefined>();

  constructor(before: JsonObject, after: JsonObject, frame: VersionFrame) {
    this.#before = before;
    this.#after = after;
    this.#frame = frame;
  }

  in(apiVersion: string): FieldComparison | undefined {
    const version = this.#frame.versions === undefined ? this.#frame.apiVersion : apiVersion;
    if (!this.#known.has(version)) this.#known.set(version, this.#compare(version));
    return this.#known.get(version);
  }

  #compare(apiVersion: string): FieldComparison | undefined {
    const before = viewed(this.#before, apiVersion, this.#frame);
    const after = viewed(this.#after, apiVersion, this.#frame);
    if (before === undefined || after === undefined) return undefined;
    const { added, removed, modified } = compareFields(before.value, after.value, before.type);
    const { ignored } = this.#frame;
    return {
      added: added.subtractTrees(ignored),
      removed: removed.subtractTrees(ignored),
      modified: modified.subtractTrees(ignored),
    };
  }
}

/** Fields of others that a change touches, by owner. */
function touched(owners: Owners, self: string, comparisons: Comparisons): Map<string, FieldSet> {
  const found = new Map<string, FieldSet>();
  for (const [id, owner] of owners) {
    const comparison = id === self ? undefined : comparisons.in(owner.apiVersion);
    if (comparison === undefined) continue;
    const shared = owner.set.intersect(comparison.modified.union(comparison.added));
    if (!shared.isEmpty) found.set(id, shared);
  }
  return found;
}

/** Owners after a change by `self`: fields that it changed or removed leave all other managers. */
function displaced(owners: Owners, self: string, comparisons: Comparisons): Map<string, FieldOwner> {
  const kept = new Map<string, FieldOwner>();
  for (const [id, owner] of owners) {
    const comparison = comparisons.in(owner.apiVersion);
    const change = id === self ? FieldSet.empty : comparison && allOf(comparison);
    if (change === undefined) continue;
    const set = owner.set.subtract(change);
    if (!set.isEmpty) kept.set(id, { ...owner, set });
  }
  return kept;
}

const allOf = ({ added, removed, modified }: FieldComparison): FieldSet =>
  modified.union(added).union(removed);

/** Ownership after a write that was not an apply: `self` alone owns the fields it changed. */
export function ownersAfterUpdate(
  live: JsonObject,
  next: JsonObject,
  owners: Owners,
  at: ManagerAtVersion,
): Owners {
  const { self, frame } = at;
  const comparisons = new Comparisons(live, next, frame);
  const result = displaced(reconciled(owners, frame), self, comparisons);
  const change = comparisons.in(frame.apiVersion);
  if (change === undefined) return result;
  const before = result.get(self)?.set.subtract(change.removed).subtractTrees(frame.ignored);
  const owned = (before ?? FieldSet.empty).union(change.modified).union(change.added);
  if (owned.isEmpty) result.delete(self);
  else result.set(self, { set: owned, apiVersion: frame.apiVersion, applied: false });
  return result;
}

/** The writing manager and the version it writes in. */
export type ManagerAtVersion = { readonly self: string; readonly frame: VersionFrame };

export type OwnershipResult =
  | { readonly object: JsonObject; readonly changed: boolean; readonly owners: Owners }
  | { readonly conflicts: ReadonlyMap<string, FieldSet> };

/** Merges a configuration, removes fields that its owner no longer declares, and updates the owners. */
export function applyConfiguration(
  live: JsonObject,
  applied: JsonObject,
  owners: Owners,
  at: ManagerAtVersion & { readonly force: boolean },
): OwnershipResult {
  const { self, frame, force } = at;
  const before = reconciled(owners, frame);
  const last = before.get(self);
  const set = fieldSetOf(applied, frame.type).subtractTrees(frame.ignored);
  const claimed = new Map(before).set(self, { set, apiVersion: frame.apiVersion, applied: true });
  const merged = mergeTyped(live, applied, frame.type) as JsonObject;
  const object = givesUpNothing(last, set, frame) ? merged : pruned(merged, last, { owners: claimed, frame });
  const comparisons = new Comparisons(live, object, frame);
  const conflicts = touched(claimed, self, comparisons);
  if (conflicts.size > 0 && !force) return { conflicts };
  return { object, changed: !equal(live, object), owners: displaced(claimed, self, comparisons) };
}

/** The usual case: all that was applied before is applied again, so there is nothing to remove. */
const givesUpNothing = (last: FieldOwner | undefined, set: FieldSet, { apiVersion }: VersionFrame): boolean =>
  last === undefined || (last.apiVersion === apiVersion && last.set.subtract(set).isEmpty);

type Claims = { readonly owners: Owners; readonly frame: VersionFrame };

/**
 * Removes the fields that this applier set before (`last`), unless a manager (itself included) still claims
 * them.
 */
function pruned(merged: JsonObject, last: FieldOwner | undefined, claims: Claims): JsonObject {
  const { frame } = claims;
  const then = last === undefined || last.set.isEmpty ? undefined : viewed(merged, last.apiVersion, frame);
  if (last === undefined || then === undefined) return merged;
  const gone = removeFields(then.value, then.type, withNamedFields(last.set, then.type)) as JsonObject | null;
  const kept = keepClaimed({ ...then, apiVersion: last.apiVersion }, gone ?? {}, claims);
  const lost = named(then.value, then.type).subtract(named(kept, then.type));
  const result = removeFields(then.value, then.type, lost.intersect(withNamedFields(last.set, then.type)));
  return inFrame((result ?? {}) as JsonObject, last.apiVersion, frame);
}

const named = (value: unknown, type: TypeNode): FieldSet => withNamedFields(fieldSetOf(value, type), type);

function inFrame(value: JsonObject, apiVersion: string, frame: VersionFrame): JsonObject {
  const isForeign = apiVersion !== frame.apiVersion && frame.versions !== undefined;
  return isForeign ? (frame.versions?.convert(value, frame.apiVersion) ?? value) : value;
}

/** Puts back what pruning took although an owner claims it, version by version, the pruned one first. */
function keepClaimed(merged: Typed & { apiVersion: string }, gone: JsonObject, claims: Claims): JsonObject {
  const { owners, frame } = claims;
  const claimedIn = new Map<string, FieldSet>([[merged.apiVersion, FieldSet.empty]]);
  for (const { apiVersion, set } of owners.values()) {
    const version = frame.versions === undefined ? merged.apiVersion : apiVersion;
    claimedIn.set(version, (claimedIn.get(version) ?? FieldSet.empty).union(set));
  }
  let kept: { value: JsonObject; apiVersion: string } = { value: gone, apiVersion: merged.apiVersion };
  for (const [apiVersion, claimed] of claimedIn) {
    const type = apiVersion === merged.apiVersion ? merged.type : typeIn(apiVersion, frame);
    if (type === undefined) continue;
    const whole = moved(merged.value, [merged.apiVersion, apiVersion], frame);
    const rest = moved(kept.value, [kept.apiVersion, apiVersion], frame);
    const surplus = named(whole, type).subtract(named(rest, type).union(withNamedFields(claimed, type)));
    kept = { value: (removeFields(whole, type, surplus) ?? {}) as JsonObject, apiVersion };
  }
  return moved(kept.value, [kept.apiVersion, merged.apiVersion], frame);
}

function moved(value: JsonObject, [from, to]: [string, string], { versions }: VersionFrame): JsonObject {
  return from === to || versions === undefined ? value : versions.convert(value, to);
}
