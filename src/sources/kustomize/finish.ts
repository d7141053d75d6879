import { asKubeObject, type KubeObject } from '#base/model';
import { isObject } from '#base/std';
import { compareKeys } from '#lang/yaml';
import { decline } from './decline.ts';
import { compareTexts, rankOf, sortText } from './order.ts';
import { dropEmptyAnnotations, type KustomizeResource, nameOf, namespaceOf } from './resource.ts';
import type { FieldMap } from './values.ts';

/** The legacy order (sources KX-2). */
export function inLegacyOrder(resources: readonly KustomizeResource[]): KustomizeResource[] {
  const namespaces = resources.filter(({ kind }) => kind === 'Namespace');
  if (namespaces.some(({ group }) => group !== '')) decline('namespaces of another group'); // kustomize sorts these differently
  const keyed = resources.map((resource) => ({
    resource,
    rank: rankOf(resource.kind),
    kind: sortText(resource),
    name: `${namespaceOf(resource) || '~X'}|${nameOf(resource)}`,
  }));
  keyed.sort((a, b) => a.rank - b.rank || compareTexts(a.kind, b.kind) || compareTexts(a.name, b.name));
  return keyed.map(({ resource }) => resource);
}

/** The object as parsed from kustomize's output: keys in its order. */
export function finished({ object, metadata }: KustomizeResource): KubeObject {
  dropEmptyAnnotations(metadata);
  if ('items' in object) decline('an object with items, which is opened when output is read');
  return asKubeObject(sorted(object), 'output of kustomize build');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: FieldMap = {};
  for (const key of Object.keys(value).sort(compareKeys)) result[key] = sorted(value[key]);
  return result;
}
