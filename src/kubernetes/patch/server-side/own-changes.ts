import { FairleadError, parseJson } from '#base/std';
import type { JsonObject, TypeNode } from '#kubernetes/schema';
import { compareFields } from './compare.ts';
import type { Element } from './element.ts';
import { entriesOf, withEntries } from './entries.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { mergeTyped } from './merge.ts';
import { withNamedFields } from './named-fields.ts';
import { removeFields } from './remove.ts';

/**
 * The live object with only one manager's changes: the fields that the manager owns in the API server's
 * response to its apply, merged into the live object, and without those it owned and gave up. Other fields of
 * the response come from webhooks or defaults and stay as they are live. The result has no managedFields, and
 * the comparison ignores them. Throws InvalidSpec when the response does not record the manager's fields.
 */
export function ownChanges(
  live: JsonObject,
  answer: JsonObject,
  { manager, type }: { readonly manager: string; readonly type: TypeNode },
): JsonObject {
  const owned = fieldsOfManager(answer, manager);
  if (owned.isEmpty) {
    throw new FairleadError('InvalidSpec', `the server's answer records no fields of the manager ${manager}`);
  }
  const [before, after] = [withEntries(live, []), withEntries(answer, [])];
  const foreign = fieldSetOf(after, type).subtract(owned);
  const stripped = removeFields(after, type, removable(foreign, owned));
  const merged = mergeTyped(before, stripped ?? {}, type);
  const ownedBefore = withNamedFields(fieldsOfManager(live, manager), type);
  const gone = compareFields(before, after, type).removed.intersect(ownedBefore);
  return (removeFields(merged, type, gone) ?? {}) as JsonObject;
}

/** Everything a manager is recorded for, by whatever operation. */
function fieldsOfManager(object: JsonObject, manager: string): FieldSet {
  const own = (entriesOf(object) ?? []).filter((entry) => entry.manager === manager);
  return own.reduce((all, { fieldsV1 }) => all.union(FieldSet.parse(fieldsV1)), FieldSet.empty);
}

/**
 * compat engine D-24: an item keeps its keys, and a value that contains an owned field is not removed whole. One that contains
 * none is: emptied it would be null, a difference to a live object that the cache has from before its writer wrote.
 */
function removable(foreign: FieldSet, owned: FieldSet, keys: ReadonlySet<Element> = noKeys): FieldSet {
  const members = new Set(
    [...foreign.members].filter((element) => !keys.has(element) && owned.below(element).isEmpty),
  );
  const children = new Map<Element, FieldSet>();
  for (const [element, below] of foreign.children) {
    const ownedBelow = owned.below(element);
    if (ownedBelow.isEmpty && !owned.members.has(element) && !keys.has(element)) {
      members.add(element);
      continue;
    }
    const rest = removable(below, ownedBelow, keysOf(element));
    if (!rest.isEmpty) children.set(element, rest);
  }
  return new FieldSet(members, children);
}

const noKeys: ReadonlySet<Element> = new Set();

function keysOf(element: Element): ReadonlySet<Element> {
  if (!element.startsWith('k:')) return noKeys;
  return new Set(Object.keys(parseJson(element.slice(2)) as JsonObject).map((name) => `f:${name}`));
}
