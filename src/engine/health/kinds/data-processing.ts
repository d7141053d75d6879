import type { Health, KubeObject } from '#base/model';
import { isObject } from '#base/std';
import { check, phases } from '../rules.ts';
import { type Checks, degraded, healthy, missing, progressing, suspended } from '../verdict.ts';

type Dynamic = { enabled?: boolean; minExecutors?: number; maxExecutors?: number };
type SparkSpec = {
  executor?: { instances?: number };
  dynamicAllocation?: Dynamic;
  sparkConf?: Record<string, string>;
};
type SparkView = KubeObject<
  SparkSpec,
  { applicationState?: { state?: string; errorMessage?: string }; executorState?: Record<string, string> }
>;

/** A running application is Healthy once it has all requested executors. */
function sparkRunning(object: KubeObject): Health | undefined {
  const { spec = {}, status } = object as SparkView;
  if (status?.applicationState?.state !== 'RUNNING' || !status.executorState) return undefined;
  const running = Object.values(status.executorState).filter((state) => state === 'RUNNING').length;
  if (spec.executor?.instances === running) return healthy(`${running} executors are running`);
  const { min, max } = executorRange(spec) ?? {};
  if (min === undefined || max === undefined || running < min || running > max) {
    return progressing(`${running} executors are running`);
  }
  return healthy(`${running} executors are running`);
}

type Range = { readonly min: number; readonly max: number };

/** How many executors are enough; undefined when only the declared number is. */
function executorRange({ dynamicAllocation, sparkConf, executor }: SparkSpec): Range | undefined {
  if (dynamicAllocation?.enabled) {
    return rangeOf(dynamicAllocation.minExecutors, dynamicAllocation.maxExecutors);
  }
  const conf = isObject(sparkConf) ? sparkConf : {};
  for (const prefix of ['spark.streaming.dynamicAllocation', 'spark.dynamicAllocation']) {
    if (conf[`${prefix}.enabled`] !== 'true') continue;
    return rangeOf(conf[`${prefix}.minExecutors`], conf[`${prefix}.maxExecutors`]);
  }
  return !dynamicAllocation && executor?.instances === undefined ? { min: 1, max: Infinity } : undefined;
}

const rangeOf = (min: number | string = 0, max: number | string = Infinity): Range => ({
  min: Number(min),
  max: Number(max),
});

type FlinkView = KubeObject<
  { job?: { state?: string } },
  {
    jobManagerDeploymentStatus?: string;
    error?: string;
    jobStatus?: { state?: string };
    reconciliationStatus?: { success?: boolean; state?: string; lastReconciledSpec?: unknown };
  }
>;

function flinkDeployment(object: KubeObject): Health | undefined {
  const { spec, status } = object as FlinkView;
  const reconciled = status?.reconciliationStatus;
  const manager = status?.jobManagerDeploymentStatus;
  if (reconciled && (reconciled.success || reconciled.state === 'DEPLOYED')) return healthy();
  if (reconciled && (manager === 'DEPLOYED_NOT_READY' || manager === 'DEPLOYING'))
    return progressing(manager);
  if (reconciled && manager === 'ERROR') return degraded(status?.error ?? manager);
  // what was never deployed because it is declared suspended has reached the declared state
  const isNew = reconciled?.lastReconciledSpec === undefined || reconciled.lastReconciledSpec === null;
  return spec?.job?.state === 'suspended' && isNew ? healthy('suspended, as declared') : undefined;
}

const jobState = phases('status.jobStatus.state', {
  RUNNING: healthy,
  FINISHED: healthy,
  RECONCILING: progressing,
  CREATED: progressing,
  SUSPENDED: suspended,
  CANCELED: suspended,
  FAILED: degraded,
});

function flinkError(object: KubeObject): Health | undefined {
  const { error } = (object as FlinkView).status ?? {};
  return error === undefined ? undefined : degraded(error);
}

/** Spark and Flink. */
export const dataProcessing: Checks = {
  'flink.apache.org/FlinkDeployment': check(flinkDeployment),
  'flink.apache.org/FlinkSessionJob': check(jobState, flinkError),
  'sparkoperator.k8s.io/SparkApplication': check(
    sparkRunning,
    phases('status.applicationState.state', {
      RUNNING: progressing,
      SUBMITTED: progressing,
      COMPLETED: healthy,
      FAILED: degraded,
      SUBMISSION_FAILED: degraded,
      FAILING: degraded,
      PENDING_RERUN: progressing,
      SUCCEEDING: progressing,
      UNKNOWN: progressing,
      INVALIDATING: missing,
    }),
  ),
};
