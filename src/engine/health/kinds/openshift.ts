import type { Condition, Health, KubeObject } from '#base/model';
import {
  check,
  conditions,
  describeCondition,
  type HealthRule,
  on,
  outdated,
  phases,
  silent,
  unless,
} from '../rules.ts';
import {
  type Checks,
  conditionOf,
  conditionsOf,
  degraded,
  healthy,
  progressing,
  suspended,
} from '../verdict.ts';

type ReplicasView = KubeObject<unknown, { replicas?: number }>;

/** Two things must be True: it serves, and the newest controller is the one that does. */
function deploymentConfigHealth(object: KubeObject): Health | undefined {
  const { replicas } = (object as ReplicasView).status ?? {};
  const list = conditionsOf(object);
  if (list.length === 0 || replicas === undefined) return undefined;
  const good = list.filter((condition) => condition.status === 'True' && isRolledOut(condition)).length;
  if (good === 2 || replicas === 0) return healthy();
  return good === 1 ? progressing('waiting for its pods') : degraded('neither available nor rolled out');
}

const isRolledOut = ({ type, reason }: Condition): boolean =>
  type === 'Available' || (type === 'Progressing' && reason === 'NewReplicationControllerAvailable');

type SubscriptionView = KubeObject<
  { installPlanApproval?: string },
  { state?: string; installedCSV?: string }
>;

const failures: ReadonlySet<string> = new Set([
  'CatalogSourcesUnhealthy',
  'InstallPlanFailed',
  'ResolutionFailed',
]);

/**
 * compat engine §5.7: an upgrade that waits for the administrator's approval is Healthy: the administrator
 * wants it so.
 */
function subscriptionHealth(object: KubeObject): Health | undefined {
  const list = conditionsOf(object);
  if (list.length === 0) return undefined;
  const failed = list.find(isFailure);
  if (failed) return degraded(describeCondition(failed));
  const { state } = (object as SubscriptionView).status ?? {};
  if (state === 'UpgradeFailed') return degraded('the upgrade failed');
  if (isAwaitingApproval(object)) return stateOf(state === 'UpgradePending' ? 'AtLatestKnown' : state);
  const pending = list.find(({ type, status }) => type === 'InstallPlanPending' && status === 'True');
  return pending ? progressing(describeCondition(pending)) : stateOf(state);
}

const isFailure = ({ type, status, reason }: Condition): boolean =>
  type === 'InstallPlanMissing'
    ? reason !== 'ReferencedInstallPlanNotFound'
    : failures.has(type) && status === 'True';

function isAwaitingApproval(object: KubeObject): boolean {
  const { spec, status } = object as SubscriptionView;
  const pending = conditionOf(object, 'InstallPlanPending');
  return (
    spec?.installPlanApproval === 'Manual' &&
    status?.installedCSV !== undefined &&
    pending?.status === 'True' &&
    pending.reason === 'RequiresApproval'
  );
}

function stateOf(state: string | undefined): Health {
  if (state === undefined || state === '') return progressing('the state is not reported yet');
  return /^Upgrade(?:Available|Pending)$/.test(state) ? progressing(state) : healthy(state);
}

type PolicyStatus = {
  compliant?: string;
  placement?: unknown[];
  status?: { clustername?: string; compliant?: string }[];
  details?: { compliant?: string; templateMeta?: { name?: string } }[];
};
type PolicyView = KubeObject<{ disabled?: boolean }, PolicyStatus>;

/** On the hub a policy without a placement has no cluster that could violate it. */
function policyHealth(object: KubeObject): Health | undefined {
  const { spec, status } = object as PolicyView;
  if (spec?.disabled) return healthy('the policy is disabled');
  if (!status) return undefined;
  const { compliant, placement } = status;
  if (compliant === undefined)
    return !status.status && placement?.length ? healthy('no cluster is selected') : undefined;
  return compliant === 'Compliant' ? healthy() : degraded(offenders(status));
}

function offenders({ status: clusters, details }: PolicyStatus): string {
  const names = clusters
    ? clusters.filter(isOffender).map(({ clustername }) => clustername)
    : (details ?? []).filter(isOffender).map(({ templateMeta }) => templateMeta?.name);
  return names.length > 0 ? `not compliant: ${names.join(', ')}` : 'not compliant';
}

const isOffender = ({ compliant }: { compliant?: string }): boolean => compliant !== 'Compliant';

type EvaluatedView = KubeObject<unknown, { compliant?: string; lastEvaluatedGeneration?: number }>;

const unevaluated: HealthRule = (object) => {
  const { status, metadata } = object as EvaluatedView;
  return status?.compliant !== undefined && status.lastEvaluatedGeneration !== metadata.generation
    ? progressing('waiting for the new spec to be evaluated')
    : undefined;
};

const compliance = phases('status.compliant', { Compliant: healthy }, degraded);

/** OpenShift and its operators; Open Cluster Management. */
export const openshift: Checks = {
  'apps.openshift.io/DeploymentConfig': check(deploymentConfigHealth),
  'nmstate.io/NodeNetworkConfigurationPolicy': check(
    conditions(
      on('Available', 'True', healthy),
      on('Degraded', 'True', degraded),
      on('Progressing', 'True', progressing),
      on('Ignored', 'True', suspended),
    ),
  ),
  'operator.openshift.io/IngressController': check(
    conditions(
      on('Degraded', 'True', degraded),
      on('DeploymentReplicasAllAvailable', 'False', progressing),
      on('Progressing', 'True', progressing),
      on('Available', 'True', healthy),
    ),
  ),
  'operators.coreos.com/Subscription': check(subscriptionHealth),
  'policy.open-cluster-management.io/CertificatePolicy': check(compliance),
  'policy.open-cluster-management.io/ConfigurationPolicy': check(unevaluated, compliance),
  'policy.open-cluster-management.io/OperatorPolicy': check(
    silent,
    outdated,
    conditions(on('Compliant', 'True', healthy), unless('Compliant', 'True', degraded)),
  ),
  'policy.open-cluster-management.io/Policy': check(policyHealth),
  'tower.ansible.com/AnsibleJob': check(
    phases('status.ansibleJobResult.status', {
      successful: healthy,
      failed: degraded,
      error: degraded,
      canceled: degraded,
      new: progressing,
      pending: progressing,
      waiting: progressing,
      running: progressing,
    }),
  ),
};
