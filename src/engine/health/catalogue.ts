import { groupOf, type KubeObject, versionOf } from '#base/model';
import { FairleadError } from '#base/std';
import { apiServiceHealth } from './api-service.ts';
import { cronJobHealth } from './cron-job.ts';
import { customResourceDefinitionHealth } from './custom-resource-definition.ts';
import { daemonSetHealth } from './daemon-set.ts';
import { deploymentHealth } from './deployment.ts';
import { horizontalPodAutoscalerHealth } from './horizontal-pod-autoscaler.ts';
import { ingressHealth } from './ingress.ts';
import { jobHealth } from './job.ts';
import { apiManagement } from './kinds/api-management.ts';
import { argo } from './kinds/argo.ts';
import { certManager } from './kinds/cert-manager.ts';
import { cloudNativePg } from './kinds/cloud-native-pg.ts';
import { ackHealth, clouds, configConnectorHealth } from './kinds/clouds.ts';
import { crossplane, crossplaneHealth, upboundHealth } from './kinds/crossplane.ts';
import { dataProcessing } from './kinds/data-processing.ts';
import { databases } from './kinds/databases.ts';
import { fluxChecks } from './kinds/flux.ts';
import { airlockHealth, gateways } from './kinds/gateway.ts';
import { keda } from './kinds/keda.ts';
import { knative, knativeGroups } from './kinds/knative.ts';
import { kruise } from './kinds/kruise.ts';
import { machines } from './kinds/machines.ts';
import { messaging } from './kinds/messaging.ts';
import { numaplane } from './kinds/numaplane.ts';
import { grafanaOrganisationHealth, observability, victoriaMetricsHealth } from './kinds/observability.ts';
import { openshift } from './kinds/openshift.ts';
import { kroHealth, policies } from './kinds/policies.ts';
import { promoter } from './kinds/promoter.ts';
import { proxies } from './kinds/proxies.ts';
import { secrets } from './kinds/secrets.ts';
import { storage } from './kinds/storage.ts';
import { workloads } from './kinds/workloads.ts';
import { persistentVolumeClaimHealth } from './persistent-volume-claim.ts';
import { podHealth } from './pod.ts';
import { podDisruptionBudgetHealth } from './pod-disruption-budget.ts';
import { replicaSetHealth } from './replica-set.ts';
import { serviceHealth } from './service.ts';
import { statefulSetHealth } from './stateful-set.ts';
import type { Checks, HealthCheck } from './verdict.ts';
import { workflowHealth } from './workflow.ts';

// compat engine H-20: a kind that is not listed has no health at all, which is not the same as Unknown
const kubernetes: Checks = {
  '/PersistentVolumeClaim': only(['v1'], persistentVolumeClaimHealth),
  '/Pod': only(['v1'], podHealth),
  '/Service': only(['v1'], serviceHealth),
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinitionHealth,
  'apiregistration.k8s.io/APIService': only(['v1', 'v1beta1'], apiServiceHealth),
  'apps/DaemonSet': only(['v1'], daemonSetHealth),
  'apps/Deployment': only(['v1'], deploymentHealth),
  'apps/ReplicaSet': only(['v1'], replicaSetHealth),
  'apps/StatefulSet': only(['v1'], statefulSetHealth),
  'argoproj.io/Workflow': workflowHealth,
  'autoscaling/HorizontalPodAutoscaler': only(['v1', 'v2'], horizontalPodAutoscalerHealth),
  'batch/CronJob': cronJobHealth,
  'batch/Job': only(['v1'], jobHealth),
  'extensions/Ingress': ingressHealth,
  'networking.k8s.io/Ingress': ingressHealth,
  'policy/PodDisruptionBudget': podDisruptionBudgetHealth,
};

const byKind: ReadonlyMap<string, HealthCheck | undefined> = new Map(
  [
    kubernetes,
    apiManagement,
    argo,
    certManager,
    cloudNativePg,
    clouds,
    crossplane,
    dataProcessing,
    databases,
    fluxChecks,
    gateways,
    keda,
    knative,
    kruise,
    machines,
    messaging,
    numaplane,
    observability,
    openshift,
    policies,
    promoter,
    proxies,
    secrets,
    storage,
    workloads,
  ].flatMap((checks) => Object.entries(checks)),
);

const byGroup: ReadonlyMap<string, HealthCheck> = new Map([
  ...knativeGroups,
  ['grafana-org-operator.kubitus-project.gitlab.io', grafanaOrganisationHealth],
  ['kro.run', kroHealth],
  ['microgateway.airlock.com', airlockHealth],
  ['operator.victoriametrics.com', victoriaMetricsHealth],
]);

const bySuffix: readonly (readonly [string, HealthCheck])[] = [
  ['.cnrm.cloud.google.com', configConnectorHealth],
  ['.crossplane.io', crossplaneHealth],
  ['.services.k8s.aws', ackHealth],
  ['.upbound.io', upboundHealth],
];

/** compat engine H-2: the check for this very kind, else for its group, else for a family of groups; undefined: no health. */
export function shippedCheck(object: KubeObject): HealthCheck | undefined {
  const group = groupOf(object);
  const kind = `${group}/${object.kind}`;
  // an entry may be undefined on purpose: a kind without health, in a group whose kinds have it
  if (byKind.has(kind)) return byKind.get(kind);
  return byGroup.get(group) ?? bySuffix.find(([suffix]) => group.endsWith(suffix))?.[1];
}

/** compat engine H-3: the shape of other versions is not known here, and guessing would be worse than saying so. */
function only(versions: readonly string[], check: HealthCheck): HealthCheck {
  return (object) => {
    if (versions.includes(versionOf(object))) return check(object);
    throw new FairleadError(
      'InvalidSpec',
      `no health check for ${object.kind} in ${object.apiVersion}; use ${groupOf(object) || 'version'} ${versions.join(' or ')}`,
    );
  };
}
