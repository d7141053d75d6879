import { type CelType, isDyn, isNull, listOf, mapOf, sameType, simpleTypes } from './cel-type.ts';

/** The types that type parameters are bound to. */
export type Bindings = Map<string, CelType>;

/** Whether `from` is assignable to `to`. On success the new bindings are kept, otherwise none are. */
export function isAssignable(bindings: Bindings, from: CelType, to: CelType): boolean {
  return areAssignable(bindings, [from], [to]);
}

export function areAssignable(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  if (from.length !== to.length) return false;
  const tried = new Map(bindings);
  if (!from.every((type, index) => fits(tried, type, to[index] as CelType))) return false;
  for (const [name, type] of tried) bindings.set(name, type);
  return true;
}

const allFit = (bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean =>
  from.length === to.length && from.every((type, index) => fits(bindings, type, to[index] as CelType));

function fits(bindings: Bindings, from: CelType, to: CelType): boolean {
  if (to.is === 'param') return substitutes(bindings, from, to) ?? viaParam(bindings, from, to);
  if (from.is === 'param') return viaParam(bindings, from, to);
  if (isDyn(from) || isDyn(to)) return true;
  if (isNull(from)) return acceptsNull(to);
  if (isNull(to)) return acceptsNull(from);
  return partsFit(bindings, from, to);
}

const viaParam = (bindings: Bindings, from: CelType, to: CelType): boolean =>
  (from.is === 'param' ? substitutes(bindings, to, from) : undefined) ?? (isDyn(from) || isDyn(to));

/** undefined: a parameter that would contain itself. */
function substitutes(
  bindings: Bindings,
  type: CelType,
  param: Extract<CelType, { is: 'param' }>,
): boolean | undefined {
  if (sameType(type, param)) return true;
  const known = bindings.get(param.name);
  if (known) {
    if (sameType(type, known)) return true;
    if (!fits(bindings, type, known)) return false;
    const general = mostGeneral(type, known);
    if (!mentions(bindings, param.name, general)) bindings.set(param.name, general);
    return true;
  }
  if (mentions(bindings, param.name, type)) return undefined;
  bindings.set(param.name, type);
  return true;
}

function acceptsNull(type: CelType): boolean {
  if (type.is === 'opaque' || type.is === 'object' || isNull(type)) return true;
  return type.is === 'simple' && (type.name === 'timestamp' || type.name === 'duration');
}

function partsFit(bindings: Bindings, from: CelType, to: CelType): boolean {
  if (from.is === 'list') return to.is === 'list' && fits(bindings, from.items, to.items);
  if (from.is === 'map') {
    return to.is === 'map' && allFit(bindings, [from.keys, from.values], [to.keys, to.values]);
  }
  if (from.is === 'opaque') {
    return to.is === 'opaque' && from.name === to.name && allFit(bindings, from.of, to.of);
  }
  if (from.is === 'type') return to.is === 'type';
  return sameType(from, to);
}

/** The more general of two compatible types. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(b, a) ? b : a;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.is === 'param') return true;
  if (isNull(b) && !isNull(a)) return acceptsNull(a);
  if (a.is === 'list' && b.is === 'list') return isLessSpecific(a.items, b.items);
  if (a.is === 'map' && b.is === 'map') {
    return isLessSpecific(a.keys, b.keys) && isLessSpecific(a.values, b.values);
  }
  if (a.is === 'opaque' && b.is === 'opaque') {
    return a.of.every((part, index) => isLessSpecific(part, b.of[index] ?? simpleTypes.dyn));
  }
  return sameType(a, b);
}

function mentions(bindings: Bindings, name: string, type: CelType): boolean {
  switch (type.is) {
    case 'param': {
      if (type.name === name) return true;
      const known = bindings.get(type.name);
      return known !== undefined && mentions(bindings, name, known);
    }
    case 'list':
      return mentions(bindings, name, type.items);
    case 'map':
      return mentions(bindings, name, type.keys) || mentions(bindings, name, type.values);
    case 'opaque':
      return type.of.some((part) => mentions(bindings, name, part));
    case 'type':
      return type.of !== undefined && mentions(bindings, name, type.of);
    default:
      return false;
  }
}

/** The type with its parameters replaced by their bindings; unbound ones become dyn if `toDyn`. */
export function substitute(bindings: Bindings, type: CelType, toDyn = false): CelType {
  const inside = (part: CelType): CelType => substitute(bindings, part, toDyn);
  switch (type.is) {
    case 'param': {
      const known = bindings.get(type.name);
      if (known) return inside(known);
      return toDyn ? simpleTypes.dyn : type;
    }
    case 'list':
      return listOf(inside(type.items));
    case 'map':
      return mapOf(inside(type.keys), inside(type.values));
    case 'opaque':
      return type.of.length === 0 ? type : { ...type, of: type.of.map(inside) };
    case 'type':
      return type.of === undefined ? type : { is: 'type', of: inside(type.of) };
    default:
      return type;
  }
}
