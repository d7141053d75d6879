import { isObject } from '#base/std';
import { decline } from './decline.ts';
import { isMergedList, type MergedList, type MergeShape, shapeOfKind } from './kinds.ts';
import { type ElementMerge, mergeElements } from './merge-elements.ts';
import { type FieldMap, hasKey } from './values.ts';

/** Either side of a merge may be undefined (absent) or null (explicitly null). */
type Side = unknown;

/** compat: kustomize compares numeric list keys as they are written, so the notation must be known. */
type Merging = { readonly plainPorts: boolean };

const directive = '$patch';

const isThere = (value: Side): boolean => value !== undefined && value !== null;

/**
 * The result of Kustomize's strategic merge of a value and a patch; undefined: nothing is left (sources KM-2 to KM-5).
 * Modifies the value and the patch, as kustomize does: neither may be used again.
 */
export function merged(value: Side, patch: Side, shape: MergeShape | MergedList, how: Merging): unknown {
  const kind = isThere(value) ? value : patch;
  if (!isThere(kind)) return value === null && patch === undefined ? null : undefined;
  if (isThere(value) && isThere(patch) && kindOf(value) !== kindOf(patch)) {
    decline('a patch of another kind than what it patches'); // compat sources KM-7: kustomize reports an error
  }
  if (Array.isArray(kind)) return mergedArray(value, patch, shape, how);
  if (isObject(kind)) return mergedMap(value, patch, isMergedList(shape) ? 'plain' : shape, how);
  return mergedScalar(value, patch);
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'list' : isObject(value) ? 'map' : 'scalar';

/** compat: the patch's value replaces the other, but keeps the other's quotes, which we do not have. */
function mergedScalar(value: Side, patch: Side): unknown {
  if (patch === undefined) return value;
  if (patch === null) return undefined;
  if (typeof value === 'string' && typeof patch !== 'string')
    decline('a patch that may put a number in quotes');
  return patch;
}

function mergedArray(value: Side, patch: Side, shape: MergeShape | MergedList, how: Merging): unknown {
  if (isMergedList(shape)) {
    const [list, other] = [value, patch].map((side) => (Array.isArray(side) ? (side as unknown[]) : side));
    return mergedList(list, other, shape, how);
  }
  if (patch === undefined) return value;
  if (hasKey(patch, directive)) decline('a directive in a list that is not merged');
  return patch === null ? undefined : patch;
}

function mergedMap(value: Side, patch: Side, known: MergeShape, how: Merging): unknown {
  const shape = shapeHere(known, value, patch);
  if (!isObject(value)) return added(patch, shape, how);
  if (patch === null) return undefined;
  if (!isObject(patch)) {
    settle(value, shape, how);
    return value;
  }
  const reported = takeDirective(patch);
  if (reported === 'delete') return undefined;
  if (reported === 'replace') return added(patch, shape, how);
  for (const key of new Set([...Object.keys(value), ...Object.keys(patch)])) {
    if (key === directive) decline('a directive in what is patched');
    put(value, key, merged(value[key], patch[key], fieldShape(shape, key), how));
  }
  return value;
}

function put(fields: FieldMap, key: string, value: unknown): void {
  if (value === undefined) delete fields[key];
  else fields[key] = value;
}

/** The result of a patch without a value: directives and deleted fields are removed. */
function added(patch: unknown, shape: MergeShape | MergedList, how: Merging): unknown {
  if (patch === null || patch === undefined) return undefined;
  if (Array.isArray(patch)) {
    if (isMergedList(shape)) return addedList(patch, shape, how);
    return hasKey(patch, directive) ? decline('a directive in a list that is not merged') : patch;
  }
  if (!isObject(patch)) return patch;
  const here = shapeHere(isMergedList(shape) ? 'plain' : shape, patch, undefined);
  if (takeDirective(patch) === 'delete') return undefined;
  for (const key of Object.keys(patch)) put(patch, key, added(patch[key], fieldShape(here, key), how));
  return patch;
}

/** compat: a merge walks through all of a value, and reorders lists that the patch does not contain. */
function settle(value: unknown, shape: MergeShape | MergedList, how: Merging): void {
  if (Array.isArray(value) && isMergedList(shape)) settleList(value, shape, how);
  if (!isObject(value)) return;
  const here = shapeHere(isMergedList(shape) ? 'plain' : shape, value, undefined);
  for (const key of Object.keys(value)) {
    if (key === directive) decline('a directive in what is patched');
    settle(value[key], fieldShape(here, key), how);
  }
}

/** Removes the directive from a patch and returns it. */
function takeDirective(patch: FieldMap): 'delete' | 'replace' | 'merge' {
  const reported = patch[directive];
  if (reported === undefined) return 'merge';
  if (reported !== 'delete' && reported !== 'replace' && reported !== 'merge')
    decline('an unknown directive');
  delete patch[directive];
  return reported;
}

/** compat: where the schema is unknown, the value itself may declare its kind. */
function shapeHere(known: MergeShape, value: unknown, patch: unknown): MergeShape {
  const reported = saysItself(value) ?? saysItself(patch);
  if (known === 'plain' && reported !== undefined && [value, patch].some(isWhole)) {
    decline('an object within an object');
  }
  return known ?? reported;
}

function saysItself(value: unknown): MergeShape {
  if (!isObject(value)) return undefined;
  const { apiVersion, kind } = value;
  return typeof apiVersion === 'string' && typeof kind === 'string'
    ? shapeOfKind(apiVersion, kind)
    : undefined;
}

const isWhole = (value: unknown): boolean => isObject(value) && ('metadata' in value || 'spec' in value);

function fieldShape(shape: MergeShape, key: string): MergeShape | MergedList {
  if (shape === undefined || shape === 'plain') return shape;
  return Object.hasOwn(shape, key) ? shape[key] : 'plain';
}

/** Merges a list and a patch, of a kind that is merged by its elements (sources KM-3 to KM-6). */
function mergedList(value: unknown, patch: unknown, shape: MergedList, how: Merging): unknown {
  if (!Array.isArray(value)) return addedList(asList(patch), shape, how);
  if (patch === null) return undefined;
  if (patch === undefined) {
    settleList(value, shape, how);
    return value;
  }
  const list = asList(patch);
  const reported = takeListDirective(list);
  if (reported === 'delete') return undefined;
  if (reported === 'replace') return addedList(list, shape, how);
  return shape.keys.length === 0 ? mergedTexts(value, list) : mergedElements(value, list, shape, how);
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : decline('no list'));

const isDirective = (element: unknown): boolean =>
  isObject(element) && Object.hasOwn(element, directive) && Object.keys(element).length === 1;

/** compat sources KM-5: an element that contains only a directive applies to the list. */
function takeListDirective(list: unknown[]): 'delete' | 'replace' | 'merge' {
  const at = list.findIndex((element) => isObject(element) && Object.hasOwn(element, directive));
  const element = list[at];
  if (!isDirective(element) || !isObject(element)) {
    if (list.some(isDirective)) decline('directives for a list and for its elements');
    return 'merge';
  }
  list.splice(at, 1);
  const others = list.some((other) => isObject(other) && Object.hasOwn(other, directive));
  if (others) decline('directives for a list and for its elements');
  return takeDirective(element);
}

/** The result of a patch where there was no list. */
function addedList(list: unknown[], shape: MergedList, how: Merging): unknown {
  if (list.some(isDirective)) decline('a directive for a list that is not there');
  if (shape.keys.length === 0) {
    checkTexts(list);
    return list;
  }
  if (keyed(list, validKeys([list], shape.keys, how), how)) {
    return list.map((element) => added(element, shape.element, how)).filter(isFull);
  }
  const merge = (element: unknown): unknown => added(element, shape.element, how);
  return mergeElements({ list, patch: list, keys: shape.keys, textOf: textsBy(how), merge: once(merge) });
}

const textsBy =
  (how: Merging) =>
  (value: unknown): string =>
    keyText(value, how);

/** A merge that uses each element of a patch once: merging consumes the patch. */
function once(
  merge: (element: FieldMap | undefined, patch: FieldMap | undefined) => unknown,
): ElementMerge['merge'] {
  const used = new Set<FieldMap>();
  return (element, patch) => {
    if (patch && used.has(patch)) decline('an element that is merged twice');
    if (patch) used.add(patch);
    return merge(element, patch);
  };
}

/** compat: an element that becomes empty is removed. */
const isFull = (element: unknown): boolean => isObject(element) && Object.keys(element).length > 0;

/** A list that the patch does not contain. compat: elements without their keys may be reordered. */
function settleList(list: unknown[], { keys, element: shape }: MergedList, how: Merging): void {
  if (keys.length === 0) {
    checkTexts(list);
    return;
  }
  if (keyed(list, validKeys([list], keys, how), how)) {
    for (const element of list) settle(element, shape, how);
    return;
  }
  const merge = (element: FieldMap | undefined): unknown => {
    settle(element, shape, how);
    return element;
  };
  list.splice(
    0,
    list.length,
    ...mergeElements({ list, patch: undefined, keys, textOf: textsBy(how), merge }),
  );
}

function checkTexts(list: readonly unknown[]): void {
  if (new Set(list).size < list.length || !list.every((item) => typeof item === 'string' && item !== '')) {
    decline('an odd list of texts');
  }
}

/** compat sources KM-4: those of the patch first. */
function mergedTexts(value: readonly unknown[], patch: readonly unknown[]): unknown[] {
  checkTexts(value);
  checkTexts(patch);
  return [...new Set([...patch, ...value])];
}

/**
 * compat sources KM-4, KM-6: with one key, elements of the patch come first, in its order; with several, only the new
 * ones. Elements without their keys are merged differently: see merge-elements.ts.
 */
function mergedElements(
  value: readonly unknown[],
  patch: readonly unknown[],
  { keys, element }: MergedList,
  how: Merging,
): unknown[] {
  const valid = validKeys([patch, value], keys, how);
  const before = keyed(value, valid, how);
  const after = keyed(patch, valid, how);
  const merge = (other: FieldMap | undefined, one: FieldMap | undefined): unknown => {
    if (other && one?.[directive] === 'replace') decline('an element that is replaced whole');
    return merged(other, one, element, how);
  };
  if (!before || !after)
    return mergeElements({ list: value, patch, keys, textOf: textsBy(how), merge: once(merge) });
  const results = new Map<string, unknown>();
  for (const [id, one] of after) results.set(id, merge(before.get(id), one));
  for (const [id, one] of before) {
    if (results.has(id)) continue;
    settle(one, element, how);
    results.set(id, one);
  }
  const ids = [...results.keys()];
  const order = valid.length > 1 ? [...ids.filter((id) => !before.has(id)), ...before.keys()] : ids;
  return order.map((id) => results.get(id)).filter(isFull);
}

/** compat sources KM-6: keys that no element has are ignored. */
function validKeys(
  lists: readonly (readonly unknown[])[],
  keys: readonly string[],
  how: Merging,
): readonly string[] {
  const elements = lists.flat().map((element) => (isObject(element) ? element : decline('an odd element')));
  const valid = keys.filter((key) => elements.some((element) => keyText(element[key], how) !== ''));
  return valid.length === 0 ? keys : valid;
}

/** Elements by their keys; undefined when one lacks a key, or when two have the same. */
function keyed(
  list: readonly unknown[],
  keys: readonly string[],
  how: Merging,
): Map<string, FieldMap> | undefined {
  const found = new Map<string, FieldMap>();
  for (const element of list) {
    if (!isObject(element)) decline('an odd element');
    const texts = keys.map((key) => keyText(element[key], how));
    const id = JSON.stringify(texts);
    if (texts.includes('') || found.has(id)) return undefined;
    found.set(id, element);
  }
  return found;
}

const mostDigits = 1_000_000;

function keyText(value: unknown, { plainPorts }: Merging): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  const isPlain = typeof value === 'number' && Number.isInteger(value) && value > 0 && value < mostDigits;
  return isPlain && plainPorts ? String(value) : decline('an odd key of a list');
}
