import { compareBytes } from '#base/model';
import { FairleadError, parseJson, printJson } from '#base/std';
import { isObject } from '#kubernetes/schema';

/**
 * One step of a field path, in the spelling of FieldsV1: `f:name` a field, `k:{"name":"web"}` an item by its keys,
 * `v:"a"` a scalar of a set, `i:0` a position. The spelling is canonical, so equal steps are equal strings.
 */
export type Element = string;

/** compat cluster 3.9: Go's encoder escapes what HTML would read. */
const unsafe = /[<>&\u2028\u2029]/;
const escaped = (text: string): string =>
  text.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** JSON as Go prints it. */
export function printGoJson(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : printJson(value);
  return unsafe.test(text) ? escaped(text) : text;
}

const fieldElements = new Map<string, Element>();
const mostFieldElements = 8192;

/** The same few names come again and again: a string that was spelled before need not be put together and hashed. */
export function fieldElement(name: string): Element {
  const known = fieldElements.get(name);
  if (known !== undefined) return known;
  const element = `f:${name}`;
  if (fieldElements.size >= mostFieldElements) fieldElements.clear();
  if (name.length <= 64) fieldElements.set(name, element);
  return element;
}

export const valueElement = (value: unknown): Element => `v:${printGoJson(value)}`;

/** Keys are spelled in order of their names, whatever order they come in. */
export function keyElement(keys: readonly (readonly [string, unknown])[]): Element {
  const sorted = keys.length < 2 ? keys : [...keys].sort(([a], [b]) => compareBytes(a, b));
  return `k:{${sorted.map(([name, value]) => `${printGoJson(name)}:${printGoJson(value)}`).join(',')}}`;
}

/** Reads one key of a FieldsV1 map. undefined: an element of a later version, to be ignored. */
export function readElement(text: string): Element | undefined {
  if (text[1] !== ':') throw broken(text);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(readJson(rest));
    case 'k':
      return readKeys(rest);
    case 'i':
      if (!/^-?\d+$/.test(rest)) throw broken(text);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

const broken = (text: string): FairleadError =>
  new FairleadError('InvalidSpec', `${JSON.stringify(text)} in managedFields is not a path element`);

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw broken(text);
  }
}

function readKeys(text: string): Element {
  const keys = readJson(text);
  if (!isObject(keys)) throw broken(text);
  return keyElement(Object.entries(keys));
}

/** `.image`, `[name="web"]`, `[="a"]`, `[0]`: how errors show a step. */
export function describeElement(element: Element): string {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return `.${rest}`;
  if (element.startsWith('i:')) return `[${rest}]`;
  const value = parseJson(rest);
  if (element.startsWith('v:')) return `[=${printJson(value)}]`;
  const keys = Object.entries(isObject(value) ? value : {});
  return `[${keys.map(([name, item]) => `${name}=${printJson(item)}`).join(',')}]`;
}

const kinds = 'fkvi';

/** The sort key of an element, computed once: its kind, then its name, or its names and values. */
type SortKey = { readonly element: Element; readonly kind: number; readonly parts: readonly unknown[] };

function sortKeyOf(element: Element): SortKey {
  const kind = kinds.indexOf(element.charAt(0));
  if (kind === 0) return { element, kind, parts: [element] };
  const value = parseJson(element.slice(2));
  return { element, kind, parts: isObject(value) ? Object.entries(value).flat() : [value] };
}

/** The order FieldsV1 is printed in: fields, keys, values, positions; numbers by value, before strings. */
export function sortElements(elements: readonly Element[]): Element[] {
  if (elements.length < 2) return [...elements];
  if (elements.every((element) => element.startsWith('f:'))) return [...elements].sort();
  return elements
    .map(sortKeyOf)
    .sort(compareSortKeys)
    .map(({ element }) => element);
}

function compareSortKeys(a: SortKey, b: SortKey): number {
  if (a.kind !== b.kind) return a.kind - b.kind;
  for (let at = 0; at < a.parts.length && at < b.parts.length; at++) {
    const order = compareValues(a.parts[at], b.parts[at]);
    if (order !== 0) return order;
  }
  return a.parts.length - b.parts.length;
}

const rank = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'bigint' ? 0 : typeof value === 'string' ? 1 : 2;

function compareValues(a: unknown, b: unknown): number {
  const byRank = rank(a) - rank(b);
  if (byRank !== 0) return byRank;
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}
