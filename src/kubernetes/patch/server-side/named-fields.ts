import { anyType, type TypeNode } from '#kubernetes/schema';
import type { Element } from './element.ts';
import { FieldSet, FieldSetBuilder } from './field-set.ts';
import { childType, isDeclared } from './shape.ts';

/**
 * The type below one element of a set, by the set's own type; undefined when the type does not declare it.
 */
function typeBelow(type: TypeNode, element: Element): TypeNode | undefined {
  if (element.startsWith('f:')) return type.kind === 'list' ? undefined : childType(type, element.slice(2));
  if (type.kind === 'any') return anyType;
  return type.kind === 'list' ? type.items : undefined;
}

/**
 * The set with declared fields added wherever something below them is in it. Owning all of a struct's contents does
 * not make its field a member; when the contents go, the field must go with them.
 */
export function withNamedFields(set: FieldSet, type: TypeNode): FieldSet {
  const members = new Set(set.members);
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of set.children) {
    if (element.startsWith('f:') && isDeclared(type, element.slice(2))) members.add(element);
    const below = element.startsWith('v:') ? undefined : typeBelow(type, element);
    children.set(element, withNamedFields(child, below ?? anyType));
  }
  return new FieldSet(members, children);
}

/** The set after the schema has made something atomic that was owned piece by piece: the pieces become the whole. */
export function reconcile(set: FieldSet, type: TypeNode): FieldSet {
  const atoms = new FieldSetBuilder();
  collectAtoms(set, type, { path: [], atoms });
  const found = atoms.build();
  return found.isEmpty ? set : set.subtractTrees(found).union(found);
}

type Search = { readonly path: Element[]; readonly atoms: FieldSetBuilder };

const isAtomic = (type: TypeNode): boolean =>
  type.kind === 'list' ? type.merge === 'atomic' : type.kind !== 'scalar' && type.atomic;

function collectAtoms(set: FieldSet, type: TypeNode, search: Search): void {
  for (const [element, below] of set.children) {
    const belowType = typeBelow(type, element);
    if (belowType === undefined || belowType.kind === 'any') continue;
    search.path.push(element);
    if (isAtomic(belowType)) search.atoms.insert(search.path);
    else collectAtoms(below, belowType, search);
    search.path.pop();
  }
}
