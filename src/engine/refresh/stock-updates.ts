import type { IgnoreRule } from '#base/model';

const pointers = (...jsonPointers: string[]): IgnoreRule => ({
  jsonPointers,
  jqPathExpressions: [],
  managedFieldsManagers: [],
});
const annotations = (...names: string[]): IgnoreRule =>
  pointers(...names.map((name) => `/metadata/annotations/${name.replaceAll('/', '~1')}`));
const notified = 'notified.notifications.argoproj.io';

/**
 * compat engine R-15: the argocd-cm defaults of a stock installation for changes that trigger no refresh. A
 * user's own ignoreResourceUpdates for a kind replaces the one here.
 */
export const stockUpdateRules: Readonly<Record<string, IgnoreRule>> = {
  '*/*': pointers('/status'),
  'argoproj.io/Application': pointers(
    '/operation',
    ...annotations(notified, 'argocd.argoproj.io/refresh', 'argocd.argoproj.io/hydrate').jsonPointers,
  ),
  'argoproj.io/Rollout': annotations(notified),
  'autoscaling/HorizontalPodAutoscaler': annotations(
    'autoscaling.alpha.kubernetes.io/behavior',
    'autoscaling.alpha.kubernetes.io/conditions',
    'autoscaling.alpha.kubernetes.io/metrics',
    'autoscaling.alpha.kubernetes.io/current-metrics',
  ),
  ConfigMap: annotations(
    'cluster-autoscaler.kubernetes.io/last-updated',
    'control-plane.alpha.kubernetes.io/leader',
  ),
  'apps/ReplicaSet': annotations(
    'deployment.kubernetes.io/desired-replicas',
    'deployment.kubernetes.io/max-replicas',
    'rollout.argoproj.io/desired-replicas',
  ),
  'discovery.k8s.io/EndpointSlice': pointers('/metadata', '/endpoints', '/ports'),
  Endpoints: pointers('/metadata', '/subsets'),
};
