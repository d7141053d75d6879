import type { ServedResource } from '../kinds.ts';

/**
 * The etcd key of an object in a real server: some of its errors contain it, and it counts towards their size
 * limits.
 */
export function storageKey(resource: ServedResource, namespace: string, name: string): string {
  return `/registry/${folderOf(resource)}/${namespace === '' ? '' : `${namespace}/`}${name}`;
}

function folderOf({ collection, group, plural, custom }: ServedResource): string {
  if (custom) return `${group}/${plural}`;
  return oldFolders[collection] ?? plural;
}

const oldFolders: Readonly<Record<string, string>> = {
  '/services': 'services/specs',
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/replicationcontrollers': 'controllers',
  'networking.k8s.io/ingresses': 'ingress',
  'apiextensions.k8s.io/customresourcedefinitions': 'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices': 'apiregistration.k8s.io/apiservices',
};
