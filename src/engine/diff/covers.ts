import { compareQuantities, quantityOf } from '#base/model';
import { equal } from '#base/std';
import { anyType, isObject, type JsonObject, type SchemaField, type TypeNode } from '#kubernetes/schema';

/** How lists and objects are laid over what is there: as kubectl does, as the server does, or key by key. */
export type Manner = 'strategic' | 'structured' | 'plain';

/** Whether the wider value holds all of the narrower one, and merging the narrower into it would leave it as it is. */
export function covers(narrow: unknown, wide: unknown, type: TypeNode, manner: Manner): boolean {
  if (narrow === wide) return true;
  if (typeof narrow !== 'object' || narrow === null) return isSameLeaf(narrow, wide, type);
  if (Array.isArray(narrow)) return Array.isArray(wide) && coversItems(narrow, wide, type, manner);
  if (!isObject(wide) || !isObject(narrow)) return false;
  if (isAtom(type, manner) || isEmptied(narrow, manner)) return equal(narrow, wide);
  return coversFields(narrow, wide, type, manner);
}

function isSameLeaf(narrow: unknown, wide: unknown, type: TypeNode): boolean {
  if (equal(narrow, wide)) return true;
  if (type.kind !== 'scalar' || type.scalar !== 'quantity') return false;
  const [a, b] = [quantityOf(narrow), quantityOf(wide)];
  return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
}

/** compat engine D-4: an empty map that is declared counts as none, though it was declared once. */
function isEmptied(narrow: JsonObject, manner: Manner): boolean {
  for (const _name in narrow) return false;
  return manner !== 'plain';
}

const isAtom = (type: TypeNode, manner: Manner): boolean =>
  manner === 'structured' && type.kind !== 'scalar' && type.kind !== 'list' && type.atomic;

function coversFields(narrow: JsonObject, wide: JsonObject, type: TypeNode, manner: Manner): boolean {
  for (const name in narrow) {
    if (!Object.hasOwn(wide, name)) return false;
    const field = type.kind === 'struct' ? type.fields.get(name) : undefined;
    const isCovered =
      field && manner === 'strategic'
        ? coversPatched(narrow[name], wide[name], field)
        : covers(narrow[name], wide[name], field?.type ?? valuesOf(type), manner);
    if (!isCovered) return false;
  }
  return true;
}

const valuesOf = (type: TypeNode): TypeNode => (type.kind === 'map' ? type.values : anyType);

/** A strategic merge may do more than lay one over the other; where it would, only equality is certain. */
function coversPatched(
  narrow: unknown,
  wide: unknown,
  { type, patch, retainKeys, mergeKey }: SchemaField,
): boolean {
  if (type.kind === 'list') {
    const isMerged = (patch === 'merge' && mergeKey !== undefined) || isClaimTemplates(type.items);
    if (!isMerged || !Array.isArray(narrow) || !Array.isArray(wide)) return equal(narrow, wide);
    return coversEach(narrow, wide, type.items, isClaimTemplates(type.items) ? 'plain' : 'strategic');
  }
  if (patch === 'replace' || retainKeys) return equal(narrow, wide);
  return covers(narrow, wide, type, 'strategic');
}

/** compat engine D-21: what the server fills into claim templates is stripped before anything is compared. */
const isClaimTemplates = (items: TypeNode): boolean =>
  items.kind === 'struct' && items.name === 'io.k8s.api.core.v1.PersistentVolumeClaim';

function coversItems(
  narrow: readonly unknown[],
  wide: readonly unknown[],
  type: TypeNode,
  manner: Manner,
): boolean {
  const items = type.kind === 'list' ? type.items : anyType;
  const isKeyed = manner === 'structured' && type.kind === 'list' && type.merge === 'keyed';
  const isByItem = manner === 'plain' || isKeyed;
  return isByItem ? coversEach(narrow, wide, items, manner) : equal(narrow, wide);
}

/** Item by item in the order they stand; where the order differs, the full comparison decides. */
function coversEach(
  narrow: readonly unknown[],
  wide: readonly unknown[],
  items: TypeNode,
  manner: Manner,
): boolean {
  if (narrow.length !== wide.length) return false;
  for (let at = 0; at < narrow.length; at++) {
    if (!covers(narrow[at], wide[at], items, manner)) return false;
  }
  return true;
}
