import { isObject, type TypeNode } from '#kubernetes/schema';
import { type Element, fieldElement } from './element.ts';
import { FieldSet } from './field-set.ts';
import { childType, isDeclared, itemElement, type OwnedList, shapeOf } from './shape.ts';

/** The contribution of a value to its parent's set: itself, and the fields below it. */
type Owned = { readonly self: boolean; readonly below: FieldSet };

const itself: Owned = { self: true, below: FieldSet.empty };
const nothing: Owned = { self: false, below: FieldSet.empty };

/** Every field a value sets, by structured-merge-diff's rules. Throws InvalidSpec for items without keys. */
export function fieldSetOf(value: unknown, type: TypeNode): FieldSet {
  return ownedBy(value, type).below;
}

function ownedBy(value: unknown, type: TypeNode): Owned {
  const shape = shapeOf(type, value);
  if (shape.kind === 'leaf') return itself;
  if (shape.kind === 'list') return Array.isArray(value) ? ownedByList(value, shape.list) : nothing;
  return isObject(value) ? ownedByMap(value, shape.type) : nothing;
}

/**
 * Items that share a key cannot be distinguished: together they are one member, and nothing below it is
 * owned.
 */
function ownedByList(items: readonly unknown[], list: OwnedList): Owned {
  const members = new Set<Element>();
  const children = new Map<Element, FieldSet>();
  const repeated = new Set<Element>();
  for (const item of items) {
    const element = itemElement(item, list);
    if (members.has(element)) repeated.add(element);
    members.add(element);
    const { below } = ownedBy(item, list.items);
    if (!below.isEmpty) children.set(element, below);
  }
  for (const element of repeated) children.delete(element);
  return { self: false, below: new FieldSet(members, children) };
}

const isBare = (value: unknown): boolean =>
  value === null || (isObject(value) && Object.keys(value).length === 0);

function ownedByMap(fields: Record<string, unknown>, type: TypeNode): Owned {
  const members = new Set<Element>();
  const children = new Map<Element, FieldSet>();
  for (const [name, value] of Object.entries(fields)) {
    const owned = ownedBy(value, childType(type, name) ?? { kind: 'any', atomic: false });
    const element = fieldElement(name);
    if (owned.self || isBare(value) || !isDeclared(type, name)) members.add(element);
    if (!owned.below.isEmpty) children.set(element, owned.below);
  }
  return { self: false, below: new FieldSet(members, children) };
}
