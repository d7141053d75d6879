import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { fractions, podWarnings } from './pod-warnings.ts';

/** The path of each kind's pod template. */
const templates: Readonly<Record<string, string>> = {
  '/podtemplates': 'template',
  '/replicationcontrollers': 'spec.template',
  'apps/daemonsets': 'spec.template',
  'apps/deployments': 'spec.template',
  'apps/replicasets': 'spec.template',
  'apps/statefulsets': 'spec.template',
  'batch/cronjobs': 'spec.jobTemplate.spec.template',
  'batch/jobs': 'spec.template',
};

const named = new Set(['apps/deployments', 'apps/replicasets', 'batch/cronjobs', 'batch/jobs']);

/** compat cluster 3.14: warnings about accepted objects. Warnings about unchanged fields are not repeated. */
export function warningsOf({ collection, custom }: ServedResource, next: Item, live?: Item): string[] {
  if (custom) return [];
  const spec = part(next, 'spec');
  if (live && (collection === '/pods' || equal(spec, part(live, 'spec')))) return [];
  const template = templates[collection];
  return [
    ...(live ? [] : nameWarnings(collection, next)),
    ...(template === undefined ? [] : podWarnings(part(next, `${template}.spec`), `${template}.spec`)),
    ...(own[collection]?.(spec, next) ?? []),
  ];
}

function part(item: unknown, path: string): JsonObject {
  let at = item;
  for (const name of path.split('.')) at = isObject(at) ? at[name] : undefined;
  return isObject(at) ? at : {};
}

function nameWarnings(collection: string, { metadata: { name = '' } }: Item): string[] {
  if (!name.includes('.')) return [];
  const use =
    collection === '/pods'
      ? "this is used in the Pod's hostname"
      : named.has(collection) && 'this is used in Pod names and hostnames';
  return use
    ? [
        `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]`,
      ]
    : [];
}

const own: Readonly<Record<string, (spec: JsonObject, item: Item) => string[]>> = {
  '/pods': (spec, item) => [...profileWarnings(item), ...podWarnings(spec, 'spec')],
  '/services': serviceWarnings,
  '/nodes': ({ externalID }) =>
    externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : [],
  '/persistentvolumes': ({ persistentVolumeReclaimPolicy }, item) => [
    ...classWarnings(item),
    ...(persistentVolumeReclaimPolicy === 'Recycle' ? [recycled] : []),
  ],
  '/persistentvolumeclaims': ({ resources }, item) => [
    ...classWarnings(item),
    ...fractions(resources, 'spec.resources'),
  ],
  'networking.k8s.io/ingresses': (_spec, { metadata: { annotations } }) =>
    annotations?.['kubernetes.io/ingress.class'] === undefined ? [] : [ingressClass],
};

const recycled =
  'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
const ingressClass =
  'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead';
const oldClass = 'volume.beta.kubernetes.io/storage-class';
const oldProfile = 'container.apparmor.security.beta.kubernetes.io/';

const classWarnings = ({ metadata: { annotations } }: Item): string[] =>
  annotations?.[oldClass] === undefined
    ? []
    : [`metadata.annotations[${oldClass}]: deprecated since v1.8; use "storageClassName" attribute instead`];

const profileWarnings = ({ metadata: { annotations = {} } }: Item): string[] =>
  Object.keys(annotations)
    .filter((key) => key.startsWith(oldProfile))
    .map(
      (key) =>
        `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
    );

function serviceWarnings({ externalIPs, trafficDistribution }: JsonObject): string[] {
  const isOpen = Array.isArray(externalIPs) && externalIPs.length > 0;
  return [
    ...(isOpen ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'] : []),
    ...(trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}
