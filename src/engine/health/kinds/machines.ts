import type { Health, KubeObject } from '#base/model';
import {
  check,
  conditions,
  describeCondition,
  type HealthRule,
  on,
  outdated,
  phases,
  resting,
  silent,
  unless,
} from '../rules.ts';
import { type Checks, conditionsOf, degraded, healthy, progressing, suspended, unknown } from '../verdict.ts';

type Severe = { severity?: string };

/** Cluster API grades its conditions: a Ready that is False for information only is no trouble. */
const clusterNotReady: HealthRule = conditions((condition, object) =>
  (condition as Severe).severity === 'Info' ? undefined : on('Ready', 'False', degraded)(condition, object),
);

type CountsView = KubeObject<unknown, { currentHealthy?: number; expectedMachines?: number }>;

function healthCheckHealth(object: KubeObject): Health | undefined {
  const { currentHealthy, expectedMachines } = (object as CountsView).status ?? {};
  if (currentHealthy === undefined) return undefined;
  if (currentHealthy === expectedMachines) return healthy();
  return degraded(`${currentHealthy} of ${expectedMachines} machines are healthy`);
}

type ControlPlaneView = KubeObject<unknown, { failureMessage?: string }>;

const controlPlaneFailed: HealthRule = (object) => {
  const { failureMessage } = (object as ControlPlaneView).status ?? {};
  return failureMessage ? degraded(failureMessage) : undefined;
};

const severeErrors: HealthRule = (object) => {
  const errors = conditionsOf(object).filter(
    (c) => c.status === 'False' && (c as Severe).severity === 'Error',
  );
  return errors.length > 0 ? degraded(errors.map(describeCondition).join(', ')) : undefined;
};

type MachineView = KubeObject<
  { running?: boolean; runStrategy?: string },
  { created?: boolean; printableStatus?: string }
>;

/** A machine that is declared stopped is where it should be. */
const declaredStopped: HealthRule = (object) => {
  const { spec, status } = object as MachineView;
  const isHalted = spec?.running === false || spec?.runStrategy === 'Halted';
  return isHalted && !status?.created ? healthy('stopped, as declared') : undefined;
};

const paused = conditions(on('Paused', 'True', suspended));

const virtualMachine = conditions((condition, object) => {
  if (condition.type !== 'Ready') return undefined;
  if (condition.status === 'True') return healthy();
  const { created, printableStatus } = (object as MachineView).status ?? {};
  return created ? undefined : suspended(printableStatus ?? describeCondition(condition));
});

const instance = conditions(on('Ready', 'True', healthy), unless('Ready', 'True', degraded));

/** Machines and the clusters made of them: Cluster API, KubeVirt. */
export const machines: Checks = {
  'addons.cluster.x-k8s.io/ClusterResourceSet': check(
    conditions(on('ResourcesApplied', 'True', healthy), on('ResourcesApplied', 'False', degraded)),
  ),
  'cdi.kubevirt.io/DataVolume': check(
    phases('status.phase', { Succeeded: healthy, Failed: degraded, Unknown: degraded, Paused: suspended }),
    conditions(on('Running', 'False', degraded, ['Error'])),
    phases('status.phase', {}, progressing),
  ),
  'cluster.x-k8s.io/Cluster': check(
    resting('spec.paused', suspended),
    clusterNotReady,
    phases('status.phase', { Provisioned: healthy, Failed: degraded }, progressing),
  ),
  'cluster.x-k8s.io/Machine': check(
    phases('status.phase', { Running: healthy, Failed: degraded }, progressing),
  ),
  'cluster.x-k8s.io/MachineDeployment': check(
    resting('spec.paused', suspended),
    phases('status.phase', { Running: healthy, Failed: degraded }, progressing),
  ),
  'cluster.x-k8s.io/MachineHealthCheck': check(healthCheckHealth),
  'cluster.x-k8s.io/MachinePool': check(
    phases('status.phase', { Running: healthy, Scaling: healthy, Failed: degraded, Unknown: degraded }),
  ),
  'controlplane.cluster.x-k8s.io/AWSManagedControlPlane': check(
    silent,
    outdated,
    controlPlaneFailed,
    conditions(on('EKSControlPlaneUpdating', 'True', progressing)),
    conditions(on('Ready', 'True', healthy)),
    severeErrors,
  ),
  'kubevirt.io/VirtualMachine': check(
    declaredStopped,
    paused,
    virtualMachine,
    phases('status.printableStatus', {}, progressing),
  ),
  'kubevirt.io/VirtualMachineInstance': check(
    phases('status.phase', {
      Failed: degraded,
      Pending: progressing,
      Scheduling: progressing,
      Scheduled: progressing,
      Succeeded: suspended,
      Unknown: unknown,
    }),
    paused,
    instance,
  ),
};
