import { finalizer, groupOf, type Health, type KubeObject, versionOf } from '#model';
import { FairleadError } from '#std';
import { apiServiceHealth } from './api-service.ts';
import { applicationHealth, type ChildOptions } from './application.ts';
import { applicationSetHealth } from './application-set.ts';
import { cronJobHealth } from './cron-job.ts';
import { customResourceDefinitionHealth } from './custom-resource-definition.ts';
import { daemonSetHealth } from './daemon-set.ts';
import { deploymentHealth } from './deployment.ts';
import { horizontalPodAutoscalerHealth } from './horizontal-pod-autoscaler.ts';
import { ingressHealth } from './ingress.ts';
import { jobHealth } from './job.ts';
import { knativeCheck } from './knative.ts';
import { persistentVolumeClaimHealth } from './persistent-volume-claim.ts';
import { podHealth } from './pod.ts';
import { podDisruptionBudgetHealth } from './pod-disruption-budget.ts';
import { certificateHealth, conditionHealth, readyHealth, replicationHealth } from './ready.ts';
import { replicaSetHealth } from './replica-set.ts';
import { serviceHealth } from './service.ts';
import { statefulSetHealth } from './stateful-set.ts';
import { type Check, progressing, unknown } from './verdict.ts';
import { workflowHealth } from './workflow.ts';

// compat H-20: a kind that is not listed has no health at all, which is not the same as Unknown
const checks: Readonly<Record<string, Check>> = {
  '/PersistentVolumeClaim': only(['v1'], persistentVolumeClaimHealth),
  '/Pod': only(['v1'], podHealth),
  '/Service': only(['v1'], serviceHealth),
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinitionHealth,
  'apiregistration.k8s.io/APIService': only(['v1', 'v1beta1'], apiServiceHealth),
  'apps/DaemonSet': only(['v1'], daemonSetHealth),
  'apps/Deployment': only(['v1'], deploymentHealth),
  'apps/ReplicaSet': only(['v1'], replicaSetHealth),
  'apps/StatefulSet': only(['v1'], statefulSetHealth),
  'argoproj.io/ApplicationSet': applicationSetHealth,
  'argoproj.io/Workflow': workflowHealth,
  'autoscaling/HorizontalPodAutoscaler': only(['v1', 'v2'], horizontalPodAutoscalerHealth),
  'batch/CronJob': cronJobHealth,
  'batch/Job': only(['v1'], jobHealth),
  'bitnami.com/SealedSecret': conditionHealth('Synced'),
  'cert-manager.io/Certificate': certificateHealth,
  'cert-manager.io/ClusterIssuer': readyHealth,
  'cert-manager.io/Issuer': readyHealth,
  'extensions/Ingress': ingressHealth,
  'external-secrets.io/ClusterSecretStore': readyHealth,
  'external-secrets.io/ExternalSecret': readyHealth,
  'external-secrets.io/PushSecret': readyHealth,
  'external-secrets.io/SecretStore': readyHealth,
  'kyverno.io/ClusterPolicy': readyHealth,
  'networking.k8s.io/Ingress': ingressHealth,
  'policy/PodDisruptionBudget': podDisruptionBudgetHealth,
  'volsync.backube/ReplicationDestination': replicationHealth,
  'volsync.backube/ReplicationSource': replicationHealth,
};

/** A health, and whether the check itself broke down (H-3), which the Application reports as ComparisonError. */
export type Assessment = { readonly health?: Health; readonly error?: string };

export type HealthOptions = { readonly child?: ChildOptions };

/** The health of one live object; undefined for a kind that has no notion of it (a ConfigMap, say). */
export function health(object: KubeObject, options: HealthOptions = {}): Health | undefined {
  return assess(object, options).health;
}

/** Like health(), and tells a broken check from a broken object. */
export function assess(object: KubeObject, options: HealthOptions = {}): Assessment {
  if (isLeaving(object)) return { health: progressing('it is being deleted') };
  try {
    const found = judge(object, options);
    return found ? { health: found } : {};
  } catch (thrown) {
    const { message } = FairleadError.from(thrown);
    return { health: unknown(message), error: message };
  }
}

/** compat S-10: a hook held by our finalizer is still judged, because its result has yet to be read. */
function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(finalizer.hook);
}

function judge(object: KubeObject, options: HealthOptions): Health | undefined {
  const kind = `${groupOf(object)}/${object.kind}`;
  if (kind === 'argoproj.io/Application') return applicationHealth(object, options.child ?? { mode: 'off' });
  const check = Object.hasOwn(checks, kind) ? checks[kind] : knativeCheck(object);
  return check?.(object);
}

/** compat H-3: the shape of other versions is not known here, and guessing would be worse than saying so. */
function only(versions: readonly string[], check: Check): Check {
  return (object) => {
    if (versions.includes(versionOf(object))) return check(object);
    throw new FairleadError(
      'InvalidSpec',
      `no health check for ${object.kind} in ${object.apiVersion}; use ${groupOf(object) || 'version'} ${versions.join(' or ')}`,
    );
  };
}
