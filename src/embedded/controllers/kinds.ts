import type { TypeRef } from '#embedded/apiserver';

const kind = (apiVersion: string, name: string): TypeRef => ({ apiVersion, kind: name });

export const configMapKind = kind('v1', 'ConfigMap');
export const secretKind = kind('v1', 'Secret');
export const endpointsKind = kind('v1', 'Endpoints');
export const eventKind = kind('v1', 'Event');
export const nodeKind = kind('v1', 'Node');
export const podKind = kind('v1', 'Pod');
export const quotaKind = kind('v1', 'ResourceQuota');
export const serviceKind = kind('v1', 'Service');
export const claimKind = kind('v1', 'PersistentVolumeClaim');
export const volumeKind = kind('v1', 'PersistentVolume');
export const storageClassKind = kind('storage.k8s.io/v1', 'StorageClass');
export const endpointSliceKind = kind('discovery.k8s.io/v1', 'EndpointSlice');
export const ingressKind = kind('networking.k8s.io/v1', 'Ingress');
export const ingressClassKind = kind('networking.k8s.io/v1', 'IngressClass');
export const deploymentKind = kind('apps/v1', 'Deployment');
export const replicaSetKind = kind('apps/v1', 'ReplicaSet');
export const replicationControllerKind = kind('v1', 'ReplicationController');
export const statefulSetKind = kind('apps/v1', 'StatefulSet');
export const daemonSetKind = kind('apps/v1', 'DaemonSet');
export const controllerRevisionKind = kind('apps/v1', 'ControllerRevision');
export const jobKind = kind('batch/v1', 'Job');
export const cronJobKind = kind('batch/v1', 'CronJob');
export const autoscalerKind = kind('autoscaling/v2', 'HorizontalPodAutoscaler');
export const disruptionBudgetKind = kind('policy/v1', 'PodDisruptionBudget');
export const definitionKind = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
