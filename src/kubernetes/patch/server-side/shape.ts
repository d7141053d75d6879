import { FairleadError } from '#base/std';
import {
  anyType,
  isObject,
  type JsonObject,
  type ListType,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';
import { type Element, keyElement, valueElement } from './element.ts';

/** A list whose items have owners of their own. */
export type OwnedList = ListType & { readonly merge: 'set' | 'keyed' };

/**
 * How ownership treats a value of a type. A leaf has one owner: scalars, and whatever is atomic. Without a
 * type the value's own kind decides, and its lists are atomic.
 */
export type OwnershipShape =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'list'; readonly list: OwnedList }
  | { readonly kind: 'map'; readonly type: TypeNode };

const leaf: OwnershipShape = { kind: 'leaf' };
const shapes = new WeakMap<TypeNode, OwnershipShape>();

export function shapeOf(type: TypeNode, value: unknown): OwnershipShape {
  if (type.kind === 'any') return shapeOfAny(type.atomic, value);
  const known = shapes.get(type);
  if (known !== undefined) return known;
  const shape = shapeOfType(type);
  shapes.set(type, shape);
  return shape;
}

function shapeOfAny(atomic: boolean, value: unknown): OwnershipShape {
  const isMap = value === null || isObject(value);
  return isMap && !atomic ? { kind: 'map', type: anyType } : leaf;
}

function shapeOfType(type: Exclude<TypeNode, { kind: 'any' }>): OwnershipShape {
  if (type.kind === 'scalar') return leaf;
  if (type.kind === 'list') return type.merge === 'atomic' ? leaf : { kind: 'list', list: type as OwnedList };
  return type.atomic ? leaf : { kind: 'map', type };
}

/** compat cluster 3.10: an object described without fields counts as free-form for ownership, though pruning empties it. */
const isFreeForm = (type: StructType): boolean => type.open || type.fields.size === 0;

/** The type of one field, declared or not; undefined when the type refuses it. */
export function childType(type: TypeNode, name: string): TypeNode | undefined {
  if (type.kind === 'map') return type.values;
  if (type.kind !== 'struct') return anyType;
  return type.fields.get(name)?.type ?? (isFreeForm(type) ? anyType : undefined);
}

/** Declared fields are owned through their contents, free-form keys are owned themselves. */
export const isDeclared = (type: TypeNode, name: string): boolean =>
  type.kind === 'struct' && type.fields.has(name);

/** The identity of an item in its list. Throws InvalidSpec when it has none. */
export function itemElement(item: unknown, list: OwnedList): Element {
  if (list.merge === 'set') {
    if (typeof item !== 'object') return valueElement(item);
    throw noElement('associative list without keys has an element that is not a scalar');
  }
  if (item === null) throw noElement('associative list with keys may not have a null element');
  if (!isObject(item)) throw noElement('associative list with keys may not have non-map elements');
  return keyElement(keysOf(item, list));
}

const noElement = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

function keysOf(item: JsonObject, list: OwnedList): [string, unknown][] {
  const keys: [string, unknown][] = [];
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : keyDefault(list, name);
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length > 0) return keys;
  const names = `[${list.keys.map((name) => JSON.stringify(name)).join(' ')}]`;
  throw noElement(
    `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
  );
}

const keyDefault = ({ items }: OwnedList, name: string): unknown =>
  items.kind === 'struct' ? items.fields.get(name)?.keyDefault : undefined;
