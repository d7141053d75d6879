import type { Condition, Health, KubeObject } from '#base/model';
import { isObject } from '#base/std';
import {
  check,
  conditions,
  describeCondition,
  type HealthRule,
  on,
  outdated,
  reader,
  resting,
  sameFor,
  settledBy,
  unconditioned,
} from '../rules.ts';
import {
  type Checks,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  suspended,
  waitingForSpec,
} from '../verdict.ts';

/** compat engine §5.7: the older namespaced policy is never called Degraded. */
const namespacedPolicy = check(
  conditions((condition, object) =>
    condition.message === 'Ready'
      ? on('Ready', 'True', healthy, ['Succeeded'])(condition, object)
      : undefined,
  ),
);

type CelPolicyView = KubeObject<unknown, { conditionStatus?: { ready?: boolean; conditions?: Condition[] } }>;

/** Kyverno's CEL policies keep their conditions one level deeper, beside a summary. */
function celPolicyHealth(object: KubeObject): Health | undefined {
  const { ready, conditions: list = [] } = (object as CelPolicyView).status?.conditionStatus ?? {};
  const { generation = 0 } = object.metadata;
  if (list.some(({ observedGeneration = generation }) => observedGeneration < generation)) {
    return progressing(waitingForSpec);
  }
  if (ready === true) return healthy();
  if (ready !== false) return undefined;
  const bad = list.find(({ status }) => status === 'False');
  return degraded(bad ? describeCondition(bad) : 'the policy is not ready');
}

const exhausted: HealthRule = ({ status }) => {
  const { exhaustions } = isObject(status) ? status : {};
  const names = isObject(exhaustions) ? Object.keys(exhaustions).sort() : [];
  return names.length > 0 ? degraded(`exhausted: ${names.join(', ')}`) : undefined;
};

const observed = [unconditioned, outdated];
const ready = settledBy('Ready');
const capsule = 'capsule.clastix.io';

const kroGraph: ReadonlySet<string> = new Set([
  'ControllerReady',
  'GraphAccepted',
  'GraphRevisionsResolved',
  'KindReady',
  'Ready',
]);

const graph = check(
  conditions((condition, object) => {
    if (!isCurrent(condition, object)) return undefined;
    if (condition.type === 'Ready' && condition.status === 'True') return healthy();
    return kroGraph.has(condition.type) && condition.status === 'False'
      ? degraded(describeCondition(condition))
      : undefined;
  }),
);

const kroInstance: ReadonlySet<string> = new Set([
  'GraphResolved',
  'InstanceManaged',
  'Ready',
  'ResourcesReady',
]);
const kroState = reader('status.state');

/**
 * Any kind that kro made: its conditions count for this generation, and the state sets the severity of a
 * False one.
 */
export const kroHealth: HealthCheck = check(
  conditions((condition, object) => {
    if (!isCurrent(condition, object)) return undefined;
    if (condition.type === 'Ready' && condition.status === 'True') return healthy();
    if (!kroInstance.has(condition.type) || condition.status !== 'False') return undefined;
    const state = kroState(object);
    if (state === 'FAILED' || state === 'ERROR') return degraded(describeCondition(condition));
    return state === 'IN_PROGRESS' ? progressing(describeCondition(condition)) : undefined;
  }),
);

const isCurrent = ({ observedGeneration }: Condition, { metadata }: KubeObject): boolean =>
  observedGeneration !== undefined && observedGeneration === metadata.generation;

/** Kyverno, Capsule, kro. */
export const policies: Checks = {
  ...sameFor(
    'addons.projectcapsule.dev',
    ['GlobalSopsSecret', 'SopsProvider', 'SopsSecret'],
    check(...observed, ready),
  ),
  ...sameFor(
    capsule,
    [
      'CapsuleConfiguration',
      'CustomQuota',
      'GlobalCustomQuota',
      'GlobalProxySettings',
      'ProxySetting',
      'TenantOwner',
    ],
    check(...observed, ready),
  ),
  ...sameFor(
    capsule,
    ['GlobalTenantResource', 'TenantResource'],
    check(resting('spec.cordoned', suspended), ...observed, ready),
  ),
  [`${capsule}/ResourcePool`]: check(...observed, exhausted, ready),
  [`${capsule}/ResourcePoolClaim`]: check(...observed, conditions(on('Bound', 'False', suspended)), ready),
  [`${capsule}/Tenant`]: check(...observed, conditions(on('Cordoned', 'True', suspended)), ready),
  'kro.run/ResourceGraphDefinition': graph,
  'kyverno.io/ClusterPolicy': check(ready),
  'kyverno.io/Policy': namespacedPolicy,
  ...sameFor(
    'policies.kyverno.io',
    [
      'DeletingPolicy',
      'GeneratingPolicy',
      'ImageValidatingPolicy',
      'MutatingPolicy',
      'NamespacedDeletingPolicy',
      'NamespacedGeneratingPolicy',
      'NamespacedImageValidatingPolicy',
      'NamespacedMutatingPolicy',
      'NamespacedValidatingPolicy',
      'ValidatingPolicy',
    ],
    check(celPolicyHealth),
  ),
};
