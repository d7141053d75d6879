import { isObject } from '#base/std';
import { decline } from './decline.ts';
import type { FieldLocation } from './field-path.ts';
import { elementOf, isIndex } from './value-path.ts';
import { isPlainText } from './values.ts';

/** The value to create for a missing field; undefined: it is not created. */
type Made = 'list' | 'map' | 'text' | undefined;

/**
 * The locations that a path of a replacement leads to (sources KR-1); with `made`, missing fields on the way are
 * created.
 */
export function findPlaces(
  object: Record<string, unknown>,
  path: readonly string[],
  made: Made,
): FieldLocation[] {
  if (path.length === 0 || path.some((part) => part === '')) decline('a path with an empty part');
  return inside(object, path, made);
}

function inside(value: unknown, path: readonly string[], made: Made): FieldLocation[] {
  const [part = ''] = path;
  if (Array.isArray(value)) return inList(value, path, made);
  // compat: a text on the way may contain a document of its own, which kustomize parses
  if (!isObject(value) || isIndex(part) || part === '*' || elementOf(part)) {
    decline('a path of a replacement that leads nowhere');
  }
  if (!Object.hasOwn(value, part)) {
    if (made === undefined) return [];
    if (part === '__proto__') decline('a key is called __proto__');
    const first = fresh(path[1], made);
    if (first !== undefined) value[part] = first;
  }
  if (path.length === 1) return [{ holder: value, key: part }];
  return inside(value[part], path.slice(1), made);
}

/** The value to create in a missing field: the one that the next part of the path needs. */
function fresh(next: string | undefined, made: Made): unknown {
  if (next === undefined) return made === 'list' ? [] : made === 'map' ? {} : undefined;
  return isIndex(next) || elementOf(next) ? [] : {};
}

function inList(list: unknown[], path: readonly string[], made: Made): FieldLocation[] {
  const [part = '', ...rest] = path;
  const places = (at: number): FieldLocation[] =>
    rest.length === 0
      ? [{ holder: list as unknown as Record<number, unknown>, key: at }]
      : inside(list[at], rest, made);
  if (part === '*') return [...list.keys()].flatMap(places);
  if (isIndex(part)) {
    const at = Number(part);
    return at < list.length ? places(at) : decline('an index that is not there');
  }
  const element = elementOf(part);
  if (!element || element.field === '') decline('a path of a replacement that leads nowhere');
  const found = matching(list, element);
  if (found.length > 0 || made === undefined) return found.flatMap(places);
  if (!isPlainText(element.value)) decline('an odd element in a path');
  list.push({ [element.field]: element.value });
  return places(list.length - 1);
}

/** compat sources KR-1: the value is a pattern that may match anywhere in the field. */
function matching(list: readonly unknown[], { field, value }: { field: string; value: string }): number[] {
  if (!/^[\w./:@-]+$/.test(value)) decline('an odd element in a path');
  const pattern = new RegExp(value);
  return [...list.keys()].filter((at) => {
    const item = list[at];
    if (!isObject(item)) decline('an element that is no map');
    const text = item[field];
    if (text === undefined) return false;
    if (typeof text !== 'string' || !/^[\x20-\x7e]*$/.test(text)) decline('an element of an odd name');
    return pattern.test(text);
  });
}
