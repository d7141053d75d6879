import type { PartialGvk } from './field-path.ts';

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

/** The rank of kinds that objects may depend on, or that depend on others; 0 for all others. */
export const rankOf = (kind: string): number => ranks.get(kind) ?? 0;

/** The sort key of kinds of one rank (sources KX-2). */
export const sortText = ({ group, version, kind }: PartialGvk): string =>
  `${group || '~G'}_${version || '~V'}_${kind || '~K'}`;

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order of kinds in which kustomize keeps its tables (sources KX-2). */
export const compareKinds = (a: PartialGvk, b: PartialGvk): number =>
  rankOf(a.kind ?? '') - rankOf(b.kind ?? '') || compareTexts(sortText(a), sortText(b));
