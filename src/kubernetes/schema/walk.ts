import { anyType, isObject, type TypeNode } from './type-node.ts';

/** Called for every value before its children; return false to stay out of them. `path` is live: copy it to keep it. */
export type Visitor = (
  value: unknown,
  type: TypeNode,
  path: readonly (string | number)[],
) => boolean | undefined;

/** The type of one field of an object; undefined when it is not declared and may not be there. */
export function fieldType(type: TypeNode, name: string): TypeNode | undefined {
  if (type.kind === 'map') return type.values;
  if (type.kind === 'any') return anyType;
  if (type.kind !== 'struct') return undefined;
  return type.fields.get(name)?.type ?? (type.open ? anyType : undefined);
}

/** The type of a list's items; `any` for a type that is no list. */
export function itemType(type: TypeNode): TypeNode {
  return type.kind === 'list' ? type.items : anyType;
}

/** Visits a value and its type together, depth first, in document order. Undeclared fields are visited as `any`. */
export function walk(value: unknown, type: TypeNode, visit: Visitor): void {
  descend({ value, type }, [], visit);
}

type Typed = { readonly value: unknown; readonly type: TypeNode };

function descend(node: Typed, path: (string | number)[], visit: Visitor): void {
  if (visit(node.value, node.type, path) === false) return;
  for (const [key, child] of childrenOf(node)) {
    path.push(key);
    descend(child, path, visit);
    path.pop();
  }
}

function childrenOf({ value, type }: Typed): [string | number, Typed][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, { value: item, type: itemType(type) }]);
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, child]) => [
    name,
    { value: child, type: fieldType(type, name) ?? anyType },
  ]);
}
