import type { Health, KubeObject } from '#base/model';
import { isObject } from '#base/std';
import {
  check,
  conditions,
  describeCondition,
  type HealthRule,
  on,
  sameFor,
  unconditioned,
} from '../rules.ts';
import {
  type Checks,
  conditionOf,
  conditionsOf,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  suspended,
} from '../verdict.ts';

const configuration: ReadonlySet<string> = new Set([
  'ClusterProviderConfig',
  'ClusterProviderConfigUsage',
  'Composition',
  'CompositionRevision',
  'ControllerConfig',
  'DeploymentRuntimeConfig',
  'EnvironmentConfig',
  'ImageConfig',
  'ProviderConfig',
  'ProviderConfigUsage',
  'StoreConfig',
]);
const upboundConfiguration: ReadonlySet<string> = new Set(
  [...configuration].filter((kind) => /^(?:Cluster)?ProviderConfig|^StoreConfig/.test(kind)),
);

/** compat engine §5.7: configuration that has no conditions is Healthy; any other kind without them is yet to be reconciled. */
function unmanaged(kinds: ReadonlySet<string>): HealthRule {
  return (object) => {
    if (conditionsOf(object).length > 0 || !kinds.has(object.kind)) return undefined;
    const { status } = object;
    return healthy(isObject(status) && status.users ? 'in use' : undefined);
  };
}

const failed = conditions(on('LastAsyncOperation', 'False', degraded), on('Synced', 'False', degraded));
const reached = (types: readonly string[]): HealthRule =>
  conditions((condition) =>
    types.includes(condition.type) && condition.status === 'True'
      ? healthy(describeCondition(condition))
      : undefined,
  );

/** Any kind of a group that ends in `.crossplane.io`. */
export const crossplaneHealth: HealthCheck = check(
  unmanaged(configuration),
  failed,
  reached(['Ready', 'Healthy', 'Offered', 'Established', 'ValidPipeline', 'RevisionHealthy']),
);

/** Any kind of a group that ends in `.upbound.io`. */
export const upboundHealth: HealthCheck = check(unmanaged(upboundConfiguration), failed, reached(['Ready']));

/** The classic AWS provider pauses by a reason of Synced. */
function awsManaged(object: KubeObject): Health {
  const ready = conditionOf(object, 'Ready');
  const synced = conditionOf(object, 'Synced');
  const isPaused = synced?.reason === 'ReconcilePaused';
  if (synced?.status === 'True') {
    if (ready?.status === 'True') return healthy(describeCondition(ready));
    return isPaused ? degraded('paused before it was ready') : progressing(ready && describeCondition(ready));
  }
  if (synced && isPaused) return suspended(describeCondition(synced));
  return degraded(synced ? describeCondition(synced) : 'the Synced condition is missing');
}

function packageHealth(object: KubeObject): Health {
  const wrong = ['Installed', 'Healthy'].find((type) => conditionOf(object, type)?.status !== 'True');
  if (!wrong) return healthy();
  const condition = conditionOf(object, wrong);
  return degraded(condition ? describeCondition(condition) : `the ${wrong} condition is missing`);
}

type StackView = KubeObject<
  unknown,
  { conditionedStatus?: { conditions?: { type: string; status: string }[] } }
>;

function stackHealth(object: KubeObject): Health | undefined {
  const list = (object as StackView).status?.conditionedStatus?.conditions ?? [];
  return list.some(({ type, status }) => type === 'Ready' && status === 'True') ? healthy() : undefined;
}

const aws = check(unconditioned, awsManaged);

export const crossplane: Checks = {
  'cloudfront.aws.crossplane.io/Distribution': aws,
  ...sameFor('iam.aws.crossplane.io', ['Policy', 'Role', 'RolePolicyAttachment'], aws),
  'pkg.crossplane.io/Provider': check(unconditioned, packageHealth),
  ...sameFor('rds.aws.crossplane.io', ['DBCluster', 'DBInstance'], aws),
  'route53.aws.crossplane.io/ResourceRecordSet': aws,
  's3.aws.crossplane.io/Bucket': aws,
  'stacks.crossplane.io/ClusterStackInstall': check(stackHealth),
};
