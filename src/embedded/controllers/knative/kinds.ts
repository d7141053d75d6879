import type { StoreWriter } from '#embedded/apiserver';

const kind = (apiVersion: string, name: string) => ({ apiVersion, kind: name });

export const knativeServiceKind = kind('serving.knative.dev/v1', 'Service');
export const configurationKind = kind('serving.knative.dev/v1', 'Configuration');
export const revisionKind = kind('serving.knative.dev/v1', 'Revision');
export const routeKind = kind('serving.knative.dev/v1', 'Route');
export const domainMappingKind = kind('serving.knative.dev/v1beta1', 'DomainMapping');
export const podAutoscalerKind = kind('autoscaling.internal.knative.dev/v1alpha1', 'PodAutoscaler');
export const serverlessServiceKind = kind('networking.internal.knative.dev/v1alpha1', 'ServerlessService');
export const knativeIngressKind = kind('networking.internal.knative.dev/v1alpha1', 'Ingress');

export const metricKind = kind('autoscaling.internal.knative.dev/v1alpha1', 'Metric');
export const imageKind = kind('caching.internal.knative.dev/v1alpha1', 'Image');
export const domainClaimKind = kind('networking.internal.knative.dev/v1alpha1', 'ClusterDomainClaim');

/** The field manager of Knative's controllers. */
export const knative: StoreWriter = { manager: 'controller' };

/** The autoscaler is a program of its own. */
export const autoscaler: StoreWriter = { manager: 'autoscaler' };

/** The namespace of Knative's settings. */
export const systemNamespace = 'knative-serving';

const serving = (name: string): string => `serving.knative.dev/${name}`;

export const label = {
  service: serving('service'),
  serviceUid: serving('serviceUID'),
  configuration: serving('configuration'),
  configurationUid: serving('configurationUID'),
  configurationGeneration: serving('configurationGeneration'),
  revision: serving('revision'),
  revisionUid: serving('revisionUID'),
  deploymentHash: serving('deployment-hash'),
  domainMappingUid: serving('domainMappingUID'),
  domainMappingNamespace: serving('domainMappingNamespace'),
  route: serving('route'),
  routeNamespace: serving('routeNamespace'),
  routingState: serving('routingState'),
  visibility: 'networking.knative.dev/visibility',
} as const;

export const note = {
  creator: serving('creator'),
  lastModifier: serving('lastModifier'),
  routes: serving('routes'),
  routingStateModified: serving('routingStateModified'),
  rolloutDuration: serving('rollout-duration'),
  progressDeadline: serving('progress-deadline'),
  lastApplied: 'kubectl.kubernetes.io/last-applied-configuration',
  rollout: 'networking.internal.knative.dev/rollout',
  minScale: 'autoscaling.knative.dev/min-scale',
  initialScale: 'autoscaling.knative.dev/initial-scale',
} as const;
