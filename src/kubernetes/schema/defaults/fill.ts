import { isObject, type JsonObject } from '../type-node.ts';

/** One step of defaulting: a part of an object in, the same part or a fuller copy out. */
export type DefaultingStep = (part: JsonObject) => JsonObject;

/** Unset in Go's sense, for a field that is not a pointer to a number or a boolean. */
const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Fills fields that are unset. A zero or a false the user wrote stays. */
export function fill(part: JsonObject, defaults: JsonObject): JsonObject {
  const missing = Object.entries(defaults).filter(([name]) => isUnset(part[name]));
  return missing.length === 0 ? part : { ...part, ...Object.fromEntries(missing) };
}

/** Fills numbers that are no pointers in Go: zero counts as unset. */
export function fillZeros(part: JsonObject, defaults: Record<string, number>): JsonObject {
  const missing = Object.entries(defaults).filter(([name]) => isUnset(part[name]) || part[name] === 0);
  return missing.length === 0 ? part : { ...part, ...Object.fromEntries(missing) };
}

/** Changes a field that is an object; anything else is left alone. */
export function inside(part: JsonObject, name: string, step: DefaultingStep): JsonObject {
  const value = part[name];
  if (!isObject(value)) return part;
  const next = step(value);
  return next === value ? part : { ...part, [name]: next };
}

/** Changes a field as if it were `{}` when it is unset. */
export function insideAlways(part: JsonObject, name: string, step: DefaultingStep): JsonObject {
  return isUnset(part[name]) ? { ...part, [name]: step({}) } : inside(part, name, step);
}

/** Changes every object in a list field. */
export function each(part: JsonObject, name: string, step: DefaultingStep): JsonObject {
  const items = part[name];
  if (!Array.isArray(items)) return part;
  const next = items.map((item) => (isObject(item) ? step(item) : item));
  return next.some((item, index) => item !== items[index]) ? { ...part, [name]: next } : part;
}

/** Changes every value of a map field. */
export function eachValue(part: JsonObject, name: string, change: (value: unknown) => unknown): JsonObject {
  return inside(part, name, (map) => {
    const next = Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
    return Object.entries(next).some(([key, value]) => value !== map[key]) ? next : map;
  });
}

/** Several steps, one after the other. */
export const steps =
  (...all: readonly DefaultingStep[]): DefaultingStep =>
  (part) =>
    all.reduce((state, step) => step(state), part);
