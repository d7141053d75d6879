import { checkBinding, checkPolicy } from '../policy/check-policy.ts';
import {
  checkClusterRole,
  checkClusterRoleBinding,
  checkRole,
  checkRoleBinding,
  keepRoleRef,
} from './access.ts';
import type { FieldCheck } from './check.ts';
import {
  checkEvent,
  checkLease,
  checkLimitRange,
  checkPriorityClass,
  checkQuota,
  checkRuntimeClass,
  keepPriorityClass,
  keepQuota,
  keepRuntimeClass,
} from './cluster.ts';
import { checkConfigMap, checkSecret, keepImmutableData, keepSecret } from './config.ts';
import {
  checkCsiDriver,
  checkVolumeAttachment,
  checkVolumeAttributesClass,
  keepCsiDriver,
  keepVolumeAttachment,
  keepVolumeAttributesClass,
} from './csi.ts';
import { checkFlowSchema, checkPriorityLevel } from './flow.ts';
import { checkCronJob, checkJob, keepJob } from './job.ts';
import {
  checkDisruptionBudget,
  checkEndpointSlice,
  checkEndpoints,
  checkIngress,
  checkIngressClass,
  checkNetworkPolicy,
  keepEndpointSlice,
  keepIngressClass,
} from './network.ts';
import { checkPod, keepPod } from './pod.ts';
import { checkAddedContainers, checkNewPod, checkResize } from './pod-paths.ts';
import { checkAutoscaler } from './scaling.ts';
import { checkService, keepService } from './service.ts';
import {
  checkClaim,
  checkStorageClass,
  checkVolume,
  keepClaim,
  keepStorageClass,
  keepVolume,
} from './storage.ts';
import { checkWebhooks } from './webhooks.ts';
import {
  checkControllerRevision,
  checkDaemonSet,
  checkDeployment,
  checkPodTemplate,
  checkReplicaSet,
  checkReplicaStatus,
  checkReplicationController,
  checkStatefulSet,
  keepSelector,
  keepStatefulSet,
} from './workloads.ts';

/** `always`: the rules for an object; `kept`: the immutable fields; `status`: the rules for its status. */
export type ObjectRule = {
  readonly always?: (next: FieldCheck) => void;
  readonly kept?: (next: FieldCheck, live: FieldCheck) => void;
  readonly status?: (next: FieldCheck) => void;
  /** The rules for new objects only. */
  readonly fresh?: (next: FieldCheck) => void;
  /** The rules for writes through other subresources. */
  readonly below?: Readonly<Record<string, (next: FieldCheck, live: FieldCheck) => void>>;
};

/** The rules of each built-in kind, for an object and for its updates. A kind that is missing has none. */
export const rules: Readonly<Record<string, ObjectRule>> = {
  '/pods': {
    always: checkPod,
    kept: keepPod,
    fresh: checkNewPod,
    below: { ephemeralcontainers: checkAddedContainers, resize: checkResize },
  },
  '/podtemplates': { always: (object) => checkPodTemplate(object.field('template')) },
  '/replicationcontrollers': { always: checkReplicationController },
  'apps/deployments': { always: checkDeployment, kept: keepSelector, status: checkReplicaStatus },
  'apps/replicasets': { always: checkReplicaSet, kept: keepSelector },
  'apps/daemonsets': { always: checkDaemonSet, kept: keepSelector },
  'apps/controllerrevisions': { always: checkControllerRevision },
  'apps/statefulsets': { always: checkStatefulSet, kept: keepStatefulSet },
  'batch/jobs': { always: checkJob, kept: keepJob },
  'batch/cronjobs': { always: checkCronJob },
  '/services': { always: checkService, kept: keepService },
  '/endpoints': { always: checkEndpoints },
  'discovery.k8s.io/endpointslices': { always: checkEndpointSlice, kept: keepEndpointSlice },
  '/configmaps': { always: checkConfigMap, kept: keepImmutableData },
  '/secrets': { always: checkSecret, kept: keepSecret },
  '/events': { always: checkEvent },
  '/limitranges': { always: checkLimitRange },
  '/resourcequotas': { always: checkQuota, kept: keepQuota },
  'networking.k8s.io/ingresses': { always: checkIngress },
  'networking.k8s.io/ingressclasses': { always: checkIngressClass, kept: keepIngressClass },
  'networking.k8s.io/networkpolicies': { always: checkNetworkPolicy },
  'rbac.authorization.k8s.io/roles': { always: checkRole },
  'rbac.authorization.k8s.io/clusterroles': { always: checkClusterRole },
  'rbac.authorization.k8s.io/rolebindings': { always: checkRoleBinding, kept: keepRoleRef },
  'rbac.authorization.k8s.io/clusterrolebindings': { always: checkClusterRoleBinding, kept: keepRoleRef },
  'autoscaling/horizontalpodautoscalers': { always: checkAutoscaler },
  'policy/poddisruptionbudgets': { always: checkDisruptionBudget },
  '/persistentvolumeclaims': { always: checkClaim, kept: keepClaim },
  '/persistentvolumes': { always: checkVolume, kept: keepVolume },
  'storage.k8s.io/csidrivers': { always: checkCsiDriver, kept: keepCsiDriver },
  'storage.k8s.io/volumeattachments': { always: checkVolumeAttachment, kept: keepVolumeAttachment },
  'storage.k8s.io/volumeattributesclasses': {
    always: checkVolumeAttributesClass,
    kept: keepVolumeAttributesClass,
  },
  'flowcontrol.apiserver.k8s.io/flowschemas': { always: checkFlowSchema },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': { always: checkPriorityLevel },
  'storage.k8s.io/storageclasses': { always: checkStorageClass, kept: keepStorageClass },
  'scheduling.k8s.io/priorityclasses': { always: checkPriorityClass, kept: keepPriorityClass },
  'coordination.k8s.io/leases': { always: checkLease },
  'node.k8s.io/runtimeclasses': { always: checkRuntimeClass, kept: keepRuntimeClass },
  'admissionregistration.k8s.io/validatingadmissionpolicies': { always: checkPolicy },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': { always: checkBinding },
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': { always: checkWebhooks },
  'admissionregistration.k8s.io/validatingwebhookconfigurations': { always: checkWebhooks },
};
