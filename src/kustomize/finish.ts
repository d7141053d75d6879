import { compareKeys } from '#lang/yaml';
import { asKubeObject, type KubeObject } from '#model';
import { isObject } from '#std';
import { decline } from './decline.ts';
import { dropEmptyAnnotations, nameOf, namespaceOf, type Resource } from './resource.ts';
import type { Fields } from './values.ts';

const first = [
  ...['Namespace', 'ResourceQuota', 'StorageClass', 'CustomResourceDefinition', 'ServiceAccount'],
  ...['PodSecurityPolicy', 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'ConfigMap', 'Secret'],
  ...['Endpoints', 'Service', 'LimitRange', 'PriorityClass', 'PersistentVolume', 'PersistentVolumeClaim'],
  ...['Deployment', 'StatefulSet', 'CronJob', 'PodDisruptionBudget'],
];
const last = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];
const ranks = new Map([
  ...first.map((kind, at) => [kind, at - first.length] as const),
  ...last.map((kind, at) => [kind, at + 1] as const),
]);

/** The legacy order (KX-2). */
export function inLegacyOrder(resources: readonly Resource[]): Resource[] {
  const namespaces = resources.filter(({ kind }) => kind === 'Namespace');
  if (namespaces.some(({ group }) => group !== '')) decline('namespaces of another group'); // sorted otherwise
  const keyed = resources.map((resource) => ({
    resource,
    rank: ranks.get(resource.kind) ?? 0,
    kind: `${resource.group || '~G'}_${resource.version || '~V'}_${resource.kind}`,
    name: `${namespaceOf(resource) || '~X'}|${nameOf(resource)}`,
  }));
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  keyed.sort((a, b) => a.rank - b.rank || order(a.kind, b.kind) || order(a.name, b.name));
  return keyed.map(({ resource }) => resource);
}

/** The object as it comes out of kustomize's output when we read that: keys in its order. */
export function finished({ object, metadata }: Resource): KubeObject {
  dropEmptyAnnotations(metadata);
  if ('items' in object) decline('an object with items, which is opened when output is read');
  return asKubeObject(sorted(object), 'output of kustomize build');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: Fields = {};
  for (const key of Object.keys(value).sort(compareKeys)) result[key] = sorted(value[key]);
  return result;
}
