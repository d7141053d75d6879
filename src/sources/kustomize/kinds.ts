/**
 * Kustomize's schema of kinds: the OpenAPI document of Kubernetes 1.21 that is compiled into it, as far as it
 * queries it.
 * compat sources KM-1. Later kinds and fields are unknown to it, and so to us.
 */
const words = (text: string): string[] => text.trim().split(/\s+/);

const versions = (groupVersions: string, kinds: string): string[] =>
  words(groupVersions).flatMap((apiVersion) => words(kinds).map((kind) => `${apiVersion} ${kind}`));

/** Kinds that are known to have no namespace. compat sources KT-6: any other is assumed to have one. */
export const clusterScoped: ReadonlySet<string> = new Set([
  ...versions(
    'admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1beta1',
    'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
  ),
  ...versions('apiextensions.k8s.io/v1 apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition'),
  ...versions('apiregistration.k8s.io/v1 apiregistration.k8s.io/v1beta1', 'APIService'),
  ...versions('certificates.k8s.io/v1 certificates.k8s.io/v1beta1', 'CertificateSigningRequest'),
  ...versions('flowcontrol.apiserver.k8s.io/v1beta1', 'FlowSchema PriorityLevelConfiguration'),
  ...versions('networking.k8s.io/v1 networking.k8s.io/v1beta1', 'IngressClass'),
  ...versions('node.k8s.io/v1 node.k8s.io/v1beta1', 'RuntimeClass'),
  ...versions('policy/v1beta1', 'PodSecurityPolicy'),
  ...versions(
    'rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1beta1',
    'ClusterRole ClusterRoleBinding',
  ),
  ...versions('scheduling.k8s.io/v1 scheduling.k8s.io/v1beta1', 'PriorityClass'),
  ...versions('storage.k8s.io/v1 storage.k8s.io/v1beta1', 'CSIDriver CSINode StorageClass VolumeAttachment'),
  ...versions('v1', 'ComponentStatus Namespace Node NodeProxyOptions PersistentVolume'),
]);

/** A list that is merged by the values of keys of its elements; by the elements themselves when there are no keys. */
export type MergedList = { readonly keys: readonly string[]; readonly element: MergeShape };

/**
 * The schema of a location in an object: the fields that lead to merged lists; `plain` when it is known and leads to
 * none; undefined when it is unknown.
 */
export type MergeShape = { readonly [field: string]: MergeShape | MergedList } | 'plain' | undefined;

const by = (keys: string, element: MergeShape = 'plain'): MergedList => ({
  keys: keys === '' ? [] : words(keys),
  element,
});

/** Distinguishes a merged list from a map. */
export const isMergedList = (shape: MergeShape | MergedList): shape is MergedList =>
  typeof shape === 'object' && Array.isArray(shape.keys);

const metadata: MergeShape = { finalizers: by(''), ownerReferences: by('uid') };
const conditions: MergeShape = { conditions: by('type') };
const mounts = {
  env: by('name'),
  volumeDevices: by('devicePath'),
  volumeMounts: by('mountPath'),
};
const container: MergeShape = { ...mounts, ports: by('containerPort protocol') };
const podSpec: MergeShape = {
  containers: by('name', container),
  initContainers: by('name', container),
  ephemeralContainers: by('name', mounts),
  hostAliases: by('ip'),
  imagePullSecrets: by('name'),
  topologySpreadConstraints: by('topologyKey whenUnsatisfiable'),
  volumes: by('name', { ephemeral: { volumeClaimTemplate: { metadata } } }),
};
const podTemplate: MergeShape = { metadata, spec: podSpec };
const workload: MergeShape = { metadata, spec: { template: podTemplate }, status: conditions };
const cronJob: MergeShape = {
  metadata,
  spec: { jobTemplate: { metadata, spec: { template: podTemplate } } },
};
const stated: MergeShape = { metadata, status: conditions };
const webhooks: MergeShape = { metadata, webhooks: by('name') };
const csiNode: MergeShape = { metadata, spec: { drivers: by('name') } };

const described: readonly (readonly [string[], MergeShape])[] = [
  [versions('apps/v1', 'DaemonSet Deployment ReplicaSet StatefulSet'), workload],
  [versions('batch/v1', 'Job'), workload],
  [versions('batch/v1 batch/v1beta1', 'CronJob'), cronJob],
  [versions('v1', 'ReplicationController'), workload],
  [versions('v1', 'Pod'), { metadata, spec: podSpec, status: { ...conditions, podIPs: by('ip') } }],
  [versions('v1', 'PodTemplate'), { metadata, template: podTemplate }],
  [versions('v1', 'Service'), { metadata, spec: { ports: by('port protocol') }, status: conditions }],
  [versions('v1', 'ServiceAccount'), { metadata, secrets: by('name') }],
  [versions('v1', 'Namespace PersistentVolumeClaim'), stated],
  [versions('policy/v1 policy/v1beta1', 'PodDisruptionBudget'), stated],
  [versions('apiregistration.k8s.io/v1 apiregistration.k8s.io/v1beta1', 'APIService'), stated],
  [versions('v1', 'ComponentStatus'), { metadata, ...conditions }],
  [
    versions('v1', 'Node'),
    { metadata, spec: { podCIDRs: by('') }, status: { ...conditions, addresses: by('type') } },
  ],
  [
    versions(
      'admissionregistration.k8s.io/v1 admissionregistration.k8s.io/v1beta1',
      'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
    ),
    webhooks,
  ],
  [versions('storage.k8s.io/v1 storage.k8s.io/v1beta1', 'CSINode'), csiNode],
  [
    versions('kustomize.config.k8s.io/v1beta1', 'Kustomization'),
    { configMapGenerator: by('name'), secretGenerator: by('name') },
  ],
];

/** Kinds whose only merged lists are in the metadata. */
const others: readonly string[] = [
  ...versions('apiextensions.k8s.io/v1 apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition'),
  ...versions('apps/v1', 'ControllerRevision'),
  ...versions('authentication.k8s.io/v1', 'TokenRequest TokenReview'),
  ...versions('authentication.k8s.io/v1beta1', 'TokenReview'),
  ...versions(
    'authorization.k8s.io/v1 authorization.k8s.io/v1beta1',
    'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  ),
  ...versions('autoscaling/v1 autoscaling/v2beta1 autoscaling/v2beta2', 'HorizontalPodAutoscaler'),
  ...versions('autoscaling/v1', 'Scale'),
  ...versions('certificates.k8s.io/v1 certificates.k8s.io/v1beta1', 'CertificateSigningRequest'),
  ...versions('coordination.k8s.io/v1 coordination.k8s.io/v1beta1', 'Lease'),
  ...versions('discovery.k8s.io/v1 discovery.k8s.io/v1beta1', 'EndpointSlice'),
  ...versions('events.k8s.io/v1 events.k8s.io/v1beta1', 'Event'),
  ...versions('extensions/v1beta1', 'Ingress'),
  ...versions('flowcontrol.apiserver.k8s.io/v1beta1', 'FlowSchema PriorityLevelConfiguration'),
  ...versions('networking.k8s.io/v1', 'Ingress IngressClass NetworkPolicy'),
  ...versions('networking.k8s.io/v1beta1', 'Ingress IngressClass'),
  ...versions('node.k8s.io/v1 node.k8s.io/v1beta1', 'RuntimeClass'),
  ...versions('policy/v1beta1', 'Eviction PodSecurityPolicy'),
  ...versions(
    'rbac.authorization.k8s.io/v1 rbac.authorization.k8s.io/v1beta1',
    'ClusterRole ClusterRoleBinding Role RoleBinding',
  ),
  ...versions('scheduling.k8s.io/v1 scheduling.k8s.io/v1beta1', 'PriorityClass'),
  ...versions('storage.k8s.io/v1 storage.k8s.io/v1beta1', 'CSIDriver StorageClass VolumeAttachment'),
  ...versions('storage.k8s.io/v1beta1', 'CSIStorageCapacity'),
  ...versions('v1', 'Binding ConfigMap Endpoints Event LimitRange PersistentVolume ResourceQuota Secret'),
];

const shapes: ReadonlyMap<string, MergeShape> = new Map([
  ...described.flatMap(([kinds, shape]) => kinds.map((kind) => [kind, shape] as const)),
  ...others.map((kind) => [kind, { metadata }] as const),
]);

/** The schema of a kind; undefined for one that is not built in. */
export const shapeOfKind = (apiVersion: string, kind: string): MergeShape =>
  shapes.get(`${apiVersion} ${kind}`);
