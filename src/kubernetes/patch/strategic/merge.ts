import { equal } from '#base/std';
import { isObject, type JsonObject, type TypeNode } from '#kubernetes/schema';
import { put, read } from '../fields.ts';
import {
  asNewValue,
  badPatch,
  directive,
  goText,
  holdsObjects,
  keyValue,
  listOf,
  type PatchRule,
  patchOf,
  ruleFor,
  withoutPatchMaps,
} from './directives.ts';
import { arrange, identityBy, positions } from './order.ts';

/**
 * The target of a merge. An object obeys the directives. Another patch collects them: nulls stay, deletions
 * and orders are passed on, because the patch is applied to an object later.
 */
export type Onto = 'object' | 'patch';

/** One merge under way; `result` grows, `patch` shrinks by what has been dealt with. */
type Work = { result: JsonObject; patch: JsonObject; readonly type: TypeNode; readonly onto: Onto };

/** Strategic merge. Neither argument is changed. */
export function merge(target: JsonObject, patch: JsonObject, type: TypeNode, onto: Onto): JsonObject {
  if (Object.hasOwn(patch, directive.patch)) return wholeMap(patch);
  const work: Work = { result: { ...target }, patch: { ...patch }, type, onto };
  retainKeys(work);
  for (const name of Object.keys(patch)) if (name.startsWith(directive.order)) mergeOrdered(work, name);
  for (const [name, change] of Object.entries(work.patch)) mergeEntry(work, name, change);
  return work.result;
}

function wholeMap(patch: JsonObject): JsonObject {
  const { [directive.patch]: how, ...rest } = patch;
  if (how === 'replace') return rest;
  if (how === 'delete') return {};
  throw badPatch(`unknown patch type: ${goText(how)} in map: ${goText(patch)}`);
}

function retainKeys(work: Work): void {
  const { [directive.retainKeys]: keys, ...rest } = work.patch;
  if (keys === undefined) return;
  work.patch = rest;
  if (work.onto === 'patch') handOn(work, directive.retainKeys, keys);
  else retain(work, keys);
}

function retain(work: Work, keys: unknown): void {
  const retained = new Set(listOf(keys, 'invalid patch format of retainKeys'));
  const isDirective = (name: string): boolean =>
    name.startsWith(directive.deleteFrom) || name.startsWith(directive.order);
  for (const [name, change] of Object.entries(work.patch)) {
    const isAllowed = change === null || isDirective(name) || retained.has(name);
    if (!isAllowed) throw badPatch('invalid patch format of retainKeys');
  }
  work.result = Object.fromEntries(Object.entries(work.result).filter(([name]) => retained.has(name)));
}

/** Two patches about one field must agree on their directives. */
function handOn(work: Work, name: string, value: unknown): void {
  const present = read(work.result, name);
  if (present !== undefined && !equal(present, value)) {
    throw badPatch(
      `the two halves of the patch disagree about ${name}: ${goText(present)} and ${goText(value)}`,
    );
  }
  put(work.result, name, value);
}

function fieldBehind(name: string, prefix: string, message: string): string {
  if (!name.startsWith(`${prefix}/`)) throw badPatch(message);
  return name.slice(prefix.length + 1);
}

function mergeOrdered(work: Work, name: string): void {
  const message = 'invalid patch format of setElementOrder list';
  const order = listOf(work.patch[name], message);
  if (work.onto === 'patch') handOn(work, name, order);
  delete work.patch[name];
  const field = fieldBehind(name, directive.order, message);
  const [live, change] = [read(work.result, field), read(work.patch, field)];
  if (live === undefined && change === undefined) return;
  const liveList =
    live === undefined ? [] : listOf(live, `expected a list in ${field}, but received ${goText(live)}`);
  const changes = change === undefined ? [] : listOf(change, message);
  const rule = ruleFor(work.type, field);
  agree(changes, order, rule.mergeKey);
  const merged = mergedList(live === undefined ? undefined : liveList, changes, { rule, onto: work.onto });
  put(work.result, field, arrange(merged, { patch: order, live: liveList }, identityBy(rule.mergeKey)));
  delete work.patch[field];
}

type ListRule = { readonly rule: PatchRule; readonly onto: Onto };

function mergedList(live: unknown[] | undefined, changes: unknown[], list: ListRule): unknown[] {
  if (live === undefined) return newValue(changes, list.onto) as unknown[];
  return changes.length === 0 ? live : mergeList(live, changes, list);
}

/** compat cluster 3.11: the patched items must stand in the order the directive gives, and all be named by it. */
function agree(changes: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (order.length === 0 || changes.length === 0) return;
  const identity = identityBy(mergeKey);
  const named = changes.filter((item) => patchOf(item) === undefined).map(identity);
  let at = 0;
  for (const item of order) if (at < named.length && identity(item) === named[at]) at += 1;
  if (at === named.length) return;
  throw badPatch(
    `The order in patch list:\n${goText(changes)}\n doesn't match ${directive.order} list:\n${goText(order)}\n`,
  );
}

function mergeEntry(work: Work, name: string, change: unknown): void {
  if (name.startsWith(directive.deleteFrom)) deleteScalars(work, name, change);
  else if (change !== null) mergeValue(work, name, change);
  else if (work.onto === 'patch') put(work.result, name, null);
  else delete work.result[name];
}

function mergeValue(work: Work, name: string, change: unknown): void {
  const live = read(work.result, name);
  if (isObject(live) && isObject(change)) {
    const rule = ruleFor(work.type, name);
    put(work.result, name, rule.strategy === 'replace' ? change : merge(live, change, rule.type, work.onto));
  } else if (Array.isArray(live) && Array.isArray(change)) {
    put(work.result, name, mergeList(live, change, { rule: ruleFor(work.type, name), onto: work.onto }));
  } else take(work, name, change);
}

const newValue = (value: unknown, onto: Onto): unknown =>
  onto === 'object' ? asNewValue(value) : withoutPatchMaps(value);

function take(work: Work, name: string, change: unknown): void {
  const kept = newValue(change, work.onto);
  if (kept === undefined) delete work.result[name];
  else put(work.result, name, kept);
}

function deleteScalars(work: Work, name: string, change: unknown): void {
  if (work.onto === 'patch') put(work.result, name, change);
  else deleteNow(work.result, name, change);
}

function deleteNow(result: JsonObject, name: string, change: unknown): void {
  const message = 'invalid patch format of primitive list';
  const field = fieldBehind(name, directive.deleteFrom, message);
  const gone = new Set(listOf(change, message));
  const live = read(result, field);
  if (!Array.isArray(live)) return;
  const kept = live.filter((item) => !gone.has(item));
  put(result, field, kept);
}

function mergeList(live: unknown[], changes: unknown[], { rule, onto }: ListRule): unknown[] {
  if (rule.strategy !== 'merge') return changes;
  if (live.length === 0 && changes.length === 0) return live;
  const identity = identityBy(rule.mergeKey);
  if (!holdsObjects(live, changes)) {
    return arrange([...new Set([...live, ...changes])], { patch: changes, live }, (item) => item);
  }
  if (rule.mergeKey === undefined) throw badPatch('cannot merge lists without merge key');
  const split = obeyItems(live, changes, rule.mergeKey);
  const merged = mergeItems(split.live, split.changes, { rule, onto });
  return arrange(merged, { patch: split.changes, live: split.live }, identity);
}

type Split = { live: unknown[]; changes: unknown[] };

/** Items of the patch that are directives: delete one, or replace the whole list. */
function obeyItems(live: unknown[], changes: unknown[], mergeKey: string): Split {
  const deleted = new Set<unknown>();
  const plain: unknown[] = [];
  let isReplaced = false;
  for (const item of changes) {
    const how = patchOf(item);
    if (how === undefined) plain.push(item);
    else if (how === 'delete') deleted.add(keyValue(item, mergeKey));
    else if (how === 'replace') isReplaced = true;
    else if (how === 'merge') throw badPatch('merging lists cannot yet be specified in the patch');
    else throw badPatch(`unknown patch type: ${goText(how)} in map: ${goText(item)}`);
  }
  if (isReplaced) return { live: plain, changes: [] };
  const survives = (item: unknown): boolean => !isObject(item) || !deleted.has(read(item, mergeKey));
  return { live: live.filter(survives), changes: plain };
}

function mergeItems(live: unknown[], changes: unknown[], { rule, onto }: ListRule): unknown[] {
  const { mergeKey = '' } = rule;
  const merged = [...live];
  const at = positions(live, (item) => (isObject(item) ? read(item, mergeKey) : item));
  for (const item of changes) {
    const key = keyValue(item, mergeKey);
    const index = at.get(key);
    const present = index === undefined ? undefined : merged[index];
    if (index !== undefined && isObject(present) && isObject(item)) {
      merged[index] = merge(present, item, rule.type, onto);
    } else {
      at.set(key, merged.length);
      merged.push(onto === 'object' ? asNewValue(item) : item);
    }
  }
  return merged;
}
