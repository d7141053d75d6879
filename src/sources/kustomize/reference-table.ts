import type { FieldSpec, PartialGvk } from './field-path.ts';

/**
 * Which fields contain the names of which objects (sources KN-1): kustomize's own table, by the referring kind. Each
 * referred kind, in the order in which kustomize visits them.
 */
export type ReferredKind = { readonly target: PartialGvk; readonly referrers: readonly FieldSpec[] };

const rbac = 'rbac.authorization.k8s.io';
const admission = 'admissionregistration.k8s.io';

const pathOf = (text: string): string[] => text.split('/').map((part) => part.replaceAll('|', '/'));

/** Paths are separated by spaces; `|` is a slash within a name. */
const from = (kind: PartialGvk, paths: string): FieldSpec[] =>
  paths.split(' ').map((path) => ({ ...kind, path: pathOf(path), create: false }));

const template = 'spec/template/spec';
const jobs = 'spec/jobTemplate/spec/template/spec';

/** Kinds that contain a pod, and where. */
const configured: readonly (readonly [PartialGvk, string])[] = [
  [{ kind: 'Pod', version: 'v1' }, 'spec'],
  [{ kind: 'PodTemplate' }, 'template/spec'],
  ...['Deployment', 'ReplicaSet', 'DaemonSet', 'StatefulSet', 'Job'].map(
    (kind) => [{ kind }, template] as const,
  ),
  [{ kind: 'CronJob' }, jobs],
];

/** compat: another list for fields that a pod has once. */
const equipped: readonly (readonly [PartialGvk, string])[] = [
  [{ kind: 'Pod' }, 'spec'],
  ...['StatefulSet', 'Deployment', 'ReplicationController', 'Job', 'DaemonSet'].map(
    (kind) => [{ kind }, template] as const,
  ),
  [{ kind: 'CronJob' }, jobs],
];

const inPods = (kinds: typeof configured, paths: string): FieldSpec[] =>
  kinds.flatMap(([kind, spec]) => paths.split(' ').flatMap((path) => from(kind, `${spec}/${path}`)));

const inContainers = (path: string): string => `containers/${path} initContainers/${path}`;

const roles = (): FieldSpec[] =>
  ['Role', 'ClusterRole'].flatMap((kind) => from({ kind }, 'rules/resourceNames'));

const scaled = (kind: string): ReferredKind => ({
  target: { kind },
  referrers: from({ kind: 'HorizontalPodAutoscaler' }, 'spec/scaleTargetRef/name'),
});

const bindings = ['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({ kind, group: rbac }));
const [roleBinding = { kind: '' }, clusterRoleBinding = { kind: '' }] = bindings;

export const referredKinds: readonly ReferredKind[] = [
  {
    target: { kind: 'StorageClass', version: 'v1', group: 'storage.k8s.io' },
    referrers: [
      ...from({ kind: 'PersistentVolume' }, 'spec/storageClassName'),
      ...from({ kind: 'PersistentVolumeClaim' }, 'spec/storageClassName'),
      ...from({ kind: 'StatefulSet' }, 'spec/volumeClaimTemplates/spec/storageClassName'),
    ],
  },
  {
    target: { kind: 'ServiceAccount', version: 'v1' },
    referrers: [
      ...bindings.flatMap((kind) => from(kind, 'subjects')),
      ...inPods(equipped, 'serviceAccountName'),
    ],
  },
  { target: { kind: 'Role', group: rbac }, referrers: from(roleBinding, 'roleRef/name') },
  {
    target: { kind: 'ClusterRole', group: rbac },
    referrers: [...from(roleBinding, 'roleRef/name'), ...from(clusterRoleBinding, 'roleRef/name')],
  },
  {
    target: { kind: 'ConfigMap', version: 'v1' },
    referrers: [
      ...inPods(
        configured,
        `volumes/configMap/name ${inContainers('env/valueFrom/configMapKeyRef/name')} ${inContainers('envFrom/configMapRef/name')} volumes/projected/sources/configMap/name`,
      ),
      ...from({ kind: 'Node' }, 'spec/configSource/configMap'),
      ...roles(),
      ...from(
        { kind: 'Ingress' },
        'metadata/annotations/nginx.ingress.kubernetes.io|fastcgi-params-configmap',
      ),
    ],
  },
  {
    target: { kind: 'Secret', version: 'v1' },
    referrers: [
      ...inPods(
        configured,
        `volumes/secret/secretName ${inContainers('env/valueFrom/secretKeyRef/name')} ${inContainers('envFrom/secretRef/name')} imagePullSecrets/name volumes/projected/sources/secret/name`,
      ),
      ...from(
        { kind: 'Ingress' },
        'spec/tls/secretName metadata/annotations/ingress.kubernetes.io|auth-secret metadata/annotations/nginx.ingress.kubernetes.io|auth-secret metadata/annotations/nginx.ingress.kubernetes.io|auth-tls-secret',
      ),
      ...from({ kind: 'ServiceAccount' }, 'imagePullSecrets/name'),
      ...from(
        { kind: 'StorageClass' },
        'parameters/secretName parameters/adminSecretName parameters/userSecretName parameters/secretRef',
      ),
      ...roles(),
      ...from(
        { kind: 'Service', group: 'serving.knative.dev', version: 'v1' }, // compat sources KN-2
        'spec/template/spec/containers/env/valueFrom/secretKeyRef/name',
      ),
      ...from({ kind: 'PersistentVolume' }, 'spec/azureFile/secretName'),
    ],
  },
  {
    target: { kind: 'Service', version: 'v1' },
    referrers: [
      ...from({ kind: 'StatefulSet', group: 'apps' }, 'spec/serviceName'),
      ...from(
        { kind: 'Ingress' },
        'spec/rules/http/paths/backend/serviceName spec/backend/serviceName spec/rules/http/paths/backend/service/name spec/defaultBackend/service/name',
      ),
      ...from({ kind: 'APIService', group: 'apiregistration.k8s.io' }, 'spec/service/name'),
      ...['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].flatMap((kind) =>
        from({ kind, group: admission }, 'webhooks/clientConfig/service'),
      ),
    ],
  },
  {
    target: { kind: 'PriorityClass', version: 'v1', group: 'scheduling.k8s.io' },
    referrers: inPods(equipped, 'priorityClassName'),
  },
  {
    target: { kind: 'PersistentVolume', version: 'v1' },
    referrers: [
      ...from({ kind: 'PersistentVolumeClaim' }, 'spec/volumeName'),
      ...from({ kind: 'ClusterRole' }, 'rules/resourceNames'),
    ],
  },
  {
    target: { kind: 'PersistentVolumeClaim', version: 'v1' },
    referrers: inPods(equipped, 'volumes/persistentVolumeClaim/claimName'),
  },
  scaled('Deployment'),
  scaled('StatefulSet'),
  scaled('ReplicaSet'),
  scaled('ReplicationController'),
  {
    target: { kind: 'ValidatingAdmissionPolicy', group: admission },
    referrers: from({ kind: 'ValidatingAdmissionPolicyBinding', group: admission }, 'spec/policyName'),
  },
  {
    // compat: there is no group of this name, so nothing is ever renamed
    target: { kind: 'IngressClass', version: 'v1', group: 'networking.k8s.io/v1' },
    referrers: from({ kind: 'Ingress' }, 'spec/ingressClassName'),
  },
];
