import type { Health, KubeObject } from '#base/model';
import {
  because,
  check,
  conditions,
  isOutdated,
  on,
  outdated,
  phases,
  reader,
  sameFor,
  settledBy,
  unobserved,
} from '../rules.ts';
import {
  type Checks,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  suspended,
  unknown,
  waitingForSpec,
} from '../verdict.ts';

const ownVerdict = reader('status.healthy');

/** The connector's own two objects carry a plain flag. */
function connectorHealth(object: KubeObject): Health | undefined {
  if (!object.kind.startsWith('ConfigConnector')) return undefined;
  const flag = ownVerdict(object);
  if (flag === undefined || flag === null) return undefined;
  return flag === true ? healthy() : degraded('the connector calls itself unhealthy');
}

/** Google Config Connector: any kind of a group that ends in `.cnrm.cloud.google.com`. */
export const configConnectorHealth: HealthCheck = check(
  outdated,
  connectorHealth,
  conditions(
    (condition) => (condition.reason === 'UpToDate' && condition.status === 'True' ? healthy() : undefined),
    because('UpdateFailed', degraded),
    because('DependencyNotFound', degraded),
    because('DependencyNotReady', suspended),
  ),
);

/** AWS Controllers for Kubernetes: any kind of a group that ends in `.services.k8s.aws`. */
export const ackHealth: HealthCheck = check(
  conditions(
    on('ACK.Terminal', 'True', degraded),
    on('Ready', 'False', progressing),
    on('Ready', 'True', healthy),
  ),
);

/** SAP BTP stamps the generation on each condition; having conditions and no bad one is success. */
const bound = check(
  conditions(
    (condition, object) => (isOutdated(condition, object) ? progressing(waitingForSpec) : undefined),
    on('Succeeded', 'False', degraded),
    on('Failed', 'True', degraded),
  ),
  conditions(() => healthy()),
);

const refusals = ['Error', 'RolesMaxLimitReached', 'PolicyNotAllowed', 'RoleNameNotAvailable'];

export const clouds: Checks = {
  'core.gardener.cloud/Shoot': check((object) => {
    const word = object.metadata.labels?.['shoot.gardener.cloud/status'];
    const verdicts = { healthy, progressing, unhealthy: degraded, unknown };
    return word && Object.hasOwn(verdicts, word) ? verdicts[word as keyof typeof verdicts](word) : undefined;
  }),
  'iammanager.keikoproj.io/Iamrole': check(
    phases('status.state', {
      Ready: healthy,
      ...Object.fromEntries(refusals.map((word) => [word, degraded])),
    }),
  ),
  'karpenter.k8s.aws/EC2NodeClass': check(settledBy('Ready')),
  'karpenter.sh/NodeClaim': check(
    outdated,
    conditions(on('Disrupting', 'True', suspended)),
    settledBy('Ready'),
  ),
  'karpenter.sh/NodePool': check(settledBy('Ready')),
  'pulumi.com/Stack': check(
    unobserved,
    conditions(
      on('Stalled', 'True', degraded),
      on('Reconciling', 'True', progressing),
      on('Ready', 'True', healthy),
    ),
  ),
  ...sameFor('services.cloud.sap.com', ['ServiceBinding', 'ServiceInstance'], bound),
};
