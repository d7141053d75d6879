import { equal } from '#base/std';
import { isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';
import { put } from '../fields.ts';
import { directive, holdsObjects, keyValue, type PatchRule, ruleFor } from './directives.ts';
import { identityBy, positions, sortedBy } from './order.ts';

/** Which half of the difference is wanted: a three-way patch takes one from each of two comparisons. */
type Half = 'both' | 'without-deletions' | 'deletions-only';

type Diff = { readonly type: TypeNode; readonly half: Half; readonly retainKeys: boolean };

/** The strategic merge patch that turns `from` into `to`. */
export function createStrategicPatch(from: JsonObject, to: JsonObject, type: TypeNode): JsonObject {
  return difference(from, to, { type, half: 'both', retainKeys: false });
}

/** One half of the difference between two objects, as a patch. */
export function difference(from: JsonObject, to: JsonObject, diff: Diff): JsonObject {
  const patch: JsonObject = {};
  for (const [name, value] of Object.entries(to)) {
    if (Object.hasOwn(from, name)) compareField(patch, name, [from[name], value], diff);
    else if (diff.half !== 'deletions-only') put(patch, name, value);
  }
  const gone = Object.keys(from).filter((name) => !Object.hasOwn(to, name));
  if (diff.half !== 'without-deletions') for (const name of gone) put(patch, name, null);
  if (diff.retainKeys)
    addRetainKeys(
      patch,
      to,
      gone.some((name) => from[name] !== null),
    );
  return patch;
}

function addRetainKeys(patch: JsonObject, to: JsonObject, hasGone: boolean): void {
  const retained = Object.keys(to).filter((name) => to[name] !== null);
  if (retained.length > 0 && (hasGone || Object.keys(patch).length > 0)) {
    patch[directive.retainKeys] = retained.sort();
  }
}

type Sides = readonly [from: unknown, to: unknown];

function compareField(patch: JsonObject, name: string, [from, to]: Sides, diff: Diff): void {
  const rule = ruleFor(diff.type, name);
  const inside: Diff = { type: rule.type, half: diff.half, retainKeys: rule.retainKeys };
  if (isObject(from) && isObject(to) && rule.strategy !== 'replace') {
    const found = difference(from, to, inside);
    if (Object.keys(found).length > 0) put(patch, name, found);
  } else if (Array.isArray(from) && Array.isArray(to) && rule.strategy === 'merge') {
    compareLists(patch, name, { from, to, rule, diff: inside });
  } else if (diff.half !== 'deletions-only' && isWorthSending(from, to, rule)) put(patch, name, to);
}

/** compat cluster 3.11: an object with the replace strategy is always sent, changed or not. */
const isWorthSending = (from: unknown, to: unknown, rule: PatchRule): boolean =>
  (rule.strategy === 'replace' && isObject(from) && isObject(to)) || !equal(from, to);

type Lists = {
  readonly from: readonly unknown[];
  readonly to: readonly unknown[];
  readonly rule: PatchRule;
  readonly diff: Diff;
};

function compareLists(patch: JsonObject, name: string, lists: Lists): void {
  const { from, to, diff } = lists;
  if (from.length === 0) {
    if (to.length > 0 && diff.half !== 'deletions-only') put(patch, name, to);
    return;
  }
  const found = holdsObjects(from, to) ? compareObjects(lists) : compareScalars(lists);
  if (found.changes.length > 0) put(patch, name, found.changes);
  if (found.deletions.length > 0) put(patch, `${directive.deleteFrom}/${name}`, found.deletions);
  if (found.order.length > 0) put(patch, `${directive.order}/${name}`, found.order);
}

type ListDifference = {
  readonly changes: readonly unknown[];
  readonly deletions: readonly unknown[];
  readonly order: readonly unknown[];
};

const byText = (a: unknown, b: unknown): number =>
  String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;

function compareScalars({ from, to, diff }: Lists): ListDifference {
  const sorted = [...from].sort(byText);
  const [before, after] = [new Set(from), new Set(to)];
  const added = diff.half === 'deletions-only' ? [] : to.filter((item) => !before.has(item));
  const gone = diff.half === 'without-deletions' ? [] : sorted.filter((item) => !after.has(item));
  // compat cluster 3.11: kubectl compares with the sorted list here, so an unsorted one is always given its order again
  const isReordered = diff.half !== 'deletions-only' && !equal(sorted, to);
  return { changes: added, deletions: [...new Set(gone)], order: gone.length > 0 || isReordered ? to : [] };
}

type Keyed = { readonly key: string; readonly item: JsonObject };
type Pair = { readonly before: JsonObject | undefined; readonly after: JsonObject | undefined };

/** compat cluster 3.11: items that share a key pair up from the last to the first. */
function inKeyOrder(items: readonly unknown[], mergeKey: string): Keyed[] {
  const keyed = items.map((item) => ({ key: String(keyValue(item, mergeKey)), item: item as JsonObject }));
  return keyed.reverse().sort((a, b) => byText(a.key, b.key));
}

const unlessLater = (item: Keyed | undefined, other: Keyed | undefined): JsonObject | undefined =>
  other === undefined || (item !== undefined && item.key <= other.key) ? item?.item : undefined;

function pairUp(from: readonly Keyed[], to: readonly Keyed[]): Pair[] {
  const pairs: Pair[] = [];
  let [left, right] = [0, 0];
  while (left < from.length || right < to.length) {
    const [before, after] = [from[left], to[right]];
    const pair = { before: unlessLater(before, after), after: unlessLater(after, before) };
    if (pair.before !== undefined) left += 1;
    if (pair.after !== undefined) right += 1;
    pairs.push(pair);
  }
  return pairs;
}

/** The entry of one pair in the patched list; undefined if none. */
function compareItems({ before, after }: Pair, mergeKey: string, diff: Diff): JsonObject | undefined {
  if (after === undefined) return undefined;
  if (before === undefined) return diff.half === 'deletions-only' ? undefined : after;
  const found = difference(before, after, diff);
  return Object.keys(found).length === 0 ? undefined : { ...found, [mergeKey]: after[mergeKey] };
}

function compareObjects({ from, to, rule, diff }: Lists): ListDifference {
  const { mergeKey = '' } = rule;
  const identity = identityBy(mergeKey);
  const pairs = pairUp(inKeyOrder(from, mergeKey), inKeyOrder(to, mergeKey));
  const changed = pairs
    .map((pair) => compareItems(pair, mergeKey, diff))
    .filter((item) => item !== undefined);
  const gone = pairs.flatMap(({ before, after }) =>
    before !== undefined && after === undefined ? [before] : [],
  );
  const deleted = diff.half === 'without-deletions' ? [] : gone;
  const changes = [
    ...sortedBy(changed, positions(to, identity), identity),
    ...deleted.map((item) => ({ [mergeKey]: item[mergeKey], [directive.patch]: 'delete' })),
  ];
  const isMoved = from.length !== to.length || from.some((item, i) => identity(item) !== identity(to[i]));
  const isOrdered = changes.length > 0 || (isMoved && diff.half !== 'deletions-only');
  return {
    changes,
    deletions: [],
    order: isOrdered ? to.map((item) => ({ [mergeKey]: identity(item) })) : [],
  };
}
