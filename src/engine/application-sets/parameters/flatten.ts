import { isObject, type JsonObject } from '#base/std';
import { goValueText } from './go-value-text.ts';
import type { SetParameters } from './set-parameters.ts';

/** compat sources ASG-6: nested fields under dotted names, list items by their index; empty containers leave nothing. */
export function flatten(object: SetParameters): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(object)) flattenInto(flat, name, value);
  return flat;
}

function flattenInto(flat: Record<string, string>, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) flattenInto(flat, `${name}.${at}`, item);
  } else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) flattenInto(flat, `${name}.${key}`, inner);
  } else {
    setField(flat, name, goValueText(value));
  }
}

/** Sets a field that may be called `__proto__`; it is no more than a field. */
export function setField(target: JsonObject, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
