import { isObject } from '#base/std';
import { decline } from './decline.ts';
import type { FieldMap } from './values.ts';

/** Converts the values of keys to text. */
type KeyText = (value: unknown) => string;

/** A list that is merged by the keys of its elements, and its patch (sources KM-3 to KM-6). */
export type ElementMerge = {
  readonly list: readonly unknown[];
  /** Undefined: the list itself is only reordered. */
  readonly patch: readonly unknown[] | undefined;
  readonly keys: readonly string[];
  readonly textOf: KeyText;
  /** Merges two elements with the same keys; undefined: nothing is left. */
  readonly merge: (element: FieldMap | undefined, patch: FieldMap | undefined) => unknown;
};

type Values = readonly string[];

/**
 * Merges the elements of lists as kustomize does, which is unusual where elements lack some of their keys: elements are
 * found by the keys that they have, deleted by the keys that others have, and appended again.
 */
export function mergeElements({ list, patch, keys, textOf, merge }: ElementMerge): FieldMap[] {
  const own = list.map(asElement);
  const others = patch?.map(asElement);
  const valuesOf = (element: FieldMap): Values => keys.map((key) => textOf(element[key]));
  const all = distinct([...(others ?? []), ...own].map(valuesOf));
  const known = keys.length > 1 ? joined(all) : all;
  if (known.length === 0) return own;
  const elements = new Elements(textOf);
  const valid = keys.filter((_, at) => known.some((values) => values[at] !== ''));
  const used = valid.length === 0 ? keys : valid;
  let left = own;
  let made: FieldMap[] = [];
  for (const values of known) {
    const here = values.filter(
      (text, at) => valid.length === 0 || text !== '' || valid.includes(keys[at] ?? ''),
    );
    const result = merge(elements.find(own, used, here), others && elements.find(others, used, here));
    if (isFull(result)) made = elements.set(made, used, here, withKeys(result, used, here));
    else left = elements.set(left, used, here);
  }
  return left.reduce((result, element) => elements.append(result, used, element), made);
}

const isFull = (value: unknown): value is FieldMap => isObject(value) && Object.keys(value).length > 0;

/** compat: kustomize restores a key that a merge removed, in a way that is not reproduced here. */
function withKeys(element: FieldMap, keys: readonly string[], values: Values): FieldMap {
  const isLost = keys.some((key, at) => values[at] !== '' && !Object.hasOwn(element, key));
  return isLost ? decline('an element that lost its key') : element;
}

const asElement = (element: unknown): FieldMap => (isObject(element) ? element : decline('an odd element'));

function distinct(all: readonly Values[]): Values[] {
  return [...new Map(all.map((values) => [JSON.stringify(values), values])).values()];
}

/** compat sources KM-6: elements of which one lacks a key that the other has count as the same. */
function joined(all: readonly Values[]): Values[] {
  const result = [...all];
  for (const at of result.keys()) {
    const one = result[at] ?? [];
    for (const other of result.keys()) {
      const both = united(one, result[other] ?? []);
      if (!both) continue;
      result[at] = both;
      result[other] = both;
    }
  }
  return result;
}

function united(one: Values, other: Values): Values | undefined {
  const isAlike = one.some((text, at) => text === other[at]);
  const isContrary = one.some((text, at) => text !== other[at] && text !== '' && other[at] !== '');
  return isAlike && !isContrary ? one.map((text, at) => text || (other[at] ?? '')) : undefined;
}

/** Kustomize's operations on the elements of a list. */
class Elements {
  readonly #textOf: KeyText;

  constructor(textOf: KeyText) {
    this.#textOf = textOf;
  }

  /** The first element with these values; keys without a value do not count, unless there are no others. */
  find(list: readonly FieldMap[], keys: readonly string[], values: Values): FieldMap | undefined {
    const some = values.some((text) => text !== '');
    return list.find((element) =>
      keys.every((key, at) => {
        const text = values[at] ?? '';
        if (some && text === '') return true;
        return Object.hasOwn(element, key) && this.#textOf(element[key]) === text;
      }),
    );
  }

  /** compat: replaces all matching elements with an element, or appends it; without one, deletes the matching ones. */
  set(list: readonly FieldMap[], keys: readonly string[], values: Values, element?: FieldMap): FieldMap[] {
    const full = list.filter((one) => Object.keys(one).length > 0);
    const isFound = full.some((one) => this.#matches(one, keys, values));
    const result = full.flatMap((one) => {
      if (!this.#matches(one, keys, values)) return values.length > 0 ? [one] : [];
      return element ? [element] : [];
    });
    return element && !isFound ? [...result, element] : result;
  }

  /** compat: without a value, a key matches any value; keys beyond the values match as the last one did. */
  #matches(element: FieldMap, keys: readonly string[], values: Values): boolean {
    if (values.length === 0) return false;
    return keys.slice(0, values.length).every((key, at) => {
      const text = values[at] ?? '';
      return Object.hasOwn(element, key) && (text === '' || this.#textOf(element[key]) === text);
    });
  }

  append(list: readonly FieldMap[], keys: readonly string[], element: FieldMap): FieldMap[] {
    const present = keys.filter((key) => element[key] !== undefined && element[key] !== null);
    const missing = keys.length - present.length;
    const before = [...list, ...Array.from({ length: missing }, () => element)];
    const values = present.map((key) => this.#textOf(element[key]));
    const kept = keys.length > 1 ? this.set(before, keys, values) : before;
    return this.set(kept, keys, values, element);
  }
}
