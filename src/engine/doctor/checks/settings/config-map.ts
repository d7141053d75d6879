import type { KubeObject } from '#base/model';
import { isObject } from '#base/std';
import { valueAt } from '../../kinds.ts';

/** The texts of a ConfigMap of this name; undefined for any other object. */
export function dataOf(object: KubeObject, name: string): Readonly<Record<string, string>> | undefined {
  if (object.metadata.name !== name) return undefined;
  const data = valueAt(object, ['data']);
  const entries = Object.entries(isObject(data) ? data : {});
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
