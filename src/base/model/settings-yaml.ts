import { FairleadError, isObject, type JsonObject } from '#base/std';
import type { LabelSelector } from './selector.ts';
import { selectorOf } from './selector.ts';
import type { DeepLink, ResourceFilter } from './settings.ts';

/*
 * The shapes of YAML inside a ConfigMap's value. Each function takes the parsed YAML and throws with the path
 * of the first part that does not fit.
 */

export function listOf<T>(value: unknown, read: (item: JsonObject, where: string) => T): T[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw wrong('the value', 'a list');
  return value.map((item, at) => {
    if (!isObject(item)) throw wrong(`item ${at + 1}`, 'a map');
    return read(item, `item ${at + 1}`);
  });
}

export function texts(value: unknown, where: string): string[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw wrong(where, 'a list of strings');
  return value;
}

export function textAt(map: JsonObject, field: string, where: string): string {
  const value = map[field];
  if (typeof value !== 'string' || value === '') throw wrong(`${where}.${field}`, 'a string');
  return value;
}

/** engine T-14: an empty list in a dimension means any. */
export const filterOf = (item: JsonObject, where: string): ResourceFilter => ({
  apiGroups: texts(item.apiGroups, `${where}.apiGroups`),
  kinds: texts(item.kinds, `${where}.kinds`),
  clusters: texts(item.clusters, `${where}.clusters`),
});

export function linkOf(item: JsonObject, where: string): DeepLink {
  const { description, if: condition } = item;
  const icon = item['icon.class'];
  return {
    title: textAt(item, 'title', where),
    url: textAt(item, 'url', where),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof icon === 'string' ? { iconClass: icon } : {}),
    ...(typeof condition === 'string' ? { if: condition } : {}),
  };
}

export function globalProjectOf(
  item: JsonObject,
  where: string,
): { projectName: string; labelSelector: LabelSelector } {
  const projectName = textAt(item, 'projectName', where);
  if (!isObject(item.labelSelector)) throw wrong(`${where}.labelSelector`, 'a label selector');
  const labelSelector: LabelSelector = item.labelSelector;
  selectorOf(labelSelector);
  return { projectName, labelSelector };
}

export const wrong = (where: string, wanted: string): FairleadError =>
  new FairleadError('InvalidSpec', `${where} must be ${wanted}`);
