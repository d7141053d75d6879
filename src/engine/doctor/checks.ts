import type { Check } from './check.ts';
import { appDefaultProject } from './checks/applications/default-project.ts';
import { appFloatingRevision } from './checks/applications/floating-revision.ts';
import { appBroadIgnore, appIgnoreNotRespected } from './checks/applications/ignore-rules.ts';
import { appInvalid, argoGroupMisspelt } from './checks/applications/invalid.ts';
import { appLiteralVariable, appOverrideMyth } from './checks/applications/literal-text.ts';
import { appNoFinalizer } from './checks/applications/no-finalizer.ts';
import { appNoRetry } from './checks/applications/no-retry.ts';
import { appNoSelfHeal } from './checks/applications/no-self-heal.ts';
import { appNoPrune, appPruneEmpty, appPruneUnguarded } from './checks/applications/prune.ts';
import {
  setAllAtOnce,
  setDeletesResources,
  setEveryCluster,
  setInvalid,
} from './checks/applications/sets.ts';
import { appSharedSource } from './checks/applications/shared-source.ts';
import {
  appCreatesNamespace,
  appRiskySyncOption,
  appUnknownSyncOption,
} from './checks/applications/sync-options.ts';
import { fileUnreadable, ignoreUnknown, kustomizationUnbuilt } from './checks/files/files.ts';
import { knativeContainersReplaced } from './checks/knative/containers-replaced.ts';
import { knativeHealthScript } from './checks/knative/health-script.ts';
import { knativeHiddenTraffic } from './checks/knative/hidden-traffic.ts';
import { knativeHistoryCollected } from './checks/knative/history-collected.ts';
import { knativePinnedTraffic } from './checks/knative/pinned-traffic.ts';
import { knativeProbePort, knativeSidecarProbe } from './checks/knative/probe-port.ts';
import { knativeRedundantIgnores } from './checks/knative/redundant-ignores.ts';
import { knativeRolloutDuration } from './checks/knative/rollout-duration.ts';
import { knativeRolloutSeconds } from './checks/knative/rollout-seconds.ts';
import { knativeSelector } from './checks/knative/selector.ts';
import { knativeServerSideApply } from './checks/knative/server-side-apply.ts';
import { projectInvalid } from './checks/projects/invalid.ts';
import {
  projectAnyDestination,
  projectAnySource,
  projectClusterResources,
  projectNoOrphans,
} from './checks/projects/open-project.ts';
import { projectRoleWildcard, projectTokenForever } from './checks/projects/roles.ts';
import { projectNoWindows } from './checks/projects/windows.ts';
import {
  clusterAdminBinding,
  clusterInsecure,
  clusterRoleWildcard,
} from './checks/secrets/cluster-access.ts';
import {
  externalSecretDeletion,
  externalSecretRefresh,
  sealedSecretScope,
} from './checks/secrets/external-secrets.ts';
import { plainSecret } from './checks/secrets/plain-secret.ts';
import { secretInVariable } from './checks/secrets/secret-in-variable.ts';
import { notificationGaps, notificationTemplateMissing } from './checks/settings/notifications.ts';
import { rbacDefaultRole, rbacInvalid, rbacWildcard } from './checks/settings/rbac.ts';
import { serverInsecure, settingMisplaced } from './checks/settings/server.ts';
import { adminEnabled, anonymousAccess, localAccount, noSingleSignOn } from './checks/settings/sign-in.ts';
import { imageMovingTag } from './checks/workloads/moving-tag.ts';
import { imageNoDigest } from './checks/workloads/no-digest.ts';
import { workloadNoLimits } from './checks/workloads/no-limits.ts';
import { workloadNoReadiness } from './checks/workloads/no-readiness.ts';
import { publicLoadBalancer } from './checks/workloads/public-load-balancer.ts';
import { quantityForm } from './checks/workloads/quantities.ts';
import { replicasOfAutoscaler } from './checks/workloads/replicas-of-autoscaler.ts';
import { rolloutHashSelector } from './checks/workloads/rollout-hash-selector.ts';
import { rolloutRefused } from './checks/workloads/rollout-lint.ts';
import { rolloutPromotesUnseen } from './checks/workloads/rollout-promotion.ts';
import { workloadMayRunAsRoot } from './checks/workloads/runs-as-root.ts';
import { syncAnnotations } from './checks/workloads/sync-annotations.ts';
import { textNotQuoted } from './checks/workloads/text-not-quoted.ts';

/** Every check, in the order in which findings are printed. A new check is a file in `checks/` and a line here. */
export const checks: readonly Check[] = [
  fileUnreadable,
  kustomizationUnbuilt,
  knativeProbePort,
  knativeSidecarProbe,
  knativeSelector,
  knativeContainersReplaced,
  knativeHiddenTraffic,
  knativePinnedTraffic,
  knativeHistoryCollected,
  knativeRolloutDuration,
  knativeRolloutSeconds,
  knativeHealthScript,
  knativeRedundantIgnores,
  knativeServerSideApply,
  quantityForm,
  imageMovingTag,
  imageNoDigest,
  textNotQuoted,
  syncAnnotations,
  replicasOfAutoscaler,
  workloadNoLimits,
  workloadMayRunAsRoot,
  workloadNoReadiness,
  publicLoadBalancer,
  rolloutRefused,
  rolloutHashSelector,
  rolloutPromotesUnseen,
  appInvalid,
  argoGroupMisspelt,
  appSharedSource,
  appDefaultProject,
  appFloatingRevision,
  appLiteralVariable,
  appUnknownSyncOption,
  appRiskySyncOption,
  appOverrideMyth,
  appBroadIgnore,
  appIgnoreNotRespected,
  appPruneEmpty,
  appPruneUnguarded,
  appNoPrune,
  appNoSelfHeal,
  appNoRetry,
  appNoFinalizer,
  appCreatesNamespace,
  setInvalid,
  setDeletesResources,
  setEveryCluster,
  setAllAtOnce,
  projectInvalid,
  projectAnySource,
  projectAnyDestination,
  projectClusterResources,
  projectRoleWildcard,
  projectTokenForever,
  projectNoWindows,
  projectNoOrphans,
  plainSecret,
  secretInVariable,
  clusterAdminBinding,
  clusterRoleWildcard,
  clusterInsecure,
  externalSecretRefresh,
  externalSecretDeletion,
  sealedSecretScope,
  rbacInvalid,
  rbacDefaultRole,
  rbacWildcard,
  anonymousAccess,
  adminEnabled,
  noSingleSignOn,
  localAccount,
  serverInsecure,
  settingMisplaced,
  notificationTemplateMissing,
  notificationGaps,
  ignoreUnknown,
];
