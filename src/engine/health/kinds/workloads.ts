import { type Health, type KubeObject, parseTime } from '#base/model';
import {
  check,
  conditions,
  describeCondition,
  firstAnswer,
  type HealthRule,
  on,
  otherwise,
  outdated,
  phases,
  sameFor,
  settledBy,
  unobserved,
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
  unknown,
  waitingForSpec,
} from '../verdict.ts';

type InferenceView = KubeObject<unknown, { modelStatus?: { transitionStatus?: string } }>;

/** A model that failed to load is Degraded; one that loads, or a condition that is open, is Progressing. */
function inferenceHealth(object: KubeObject): Health | undefined {
  const { status } = object as InferenceView;
  if (conditionsOf(object).length === 0) return undefined;
  const transition = status?.modelStatus?.transitionStatus ?? 'UpToDate';
  const open = conditionsOf(object).find(({ type, status: is }) => type !== 'Stopped' && is !== 'True');
  const unsettled = conditionsOf(object).find(
    ({ type, status: is }) => type === 'Stopped' && is === 'Unknown',
  );
  if (transition !== 'UpToDate' && transition !== 'InProgress') {
    return degraded(open ? `${transition}: ${describeCondition(open)}` : transition);
  }
  if (transition === 'InProgress') return progressing('the model is loading');
  const waiting = open ?? unsettled;
  return waiting ? progressing(describeCondition(waiting)) : healthy();
}

function llmHealth(object: KubeObject): Health | undefined {
  const ready = conditionOf(object, 'Ready');
  const { generation } = object.metadata;
  if (ready?.observedGeneration !== undefined && ready.observedGeneration !== generation)
    return progressing(waitingForSpec);
  const stopped = conditionsOf(object).find(({ reason }) => reason === 'Stopped');
  return stopped && suspended(describeCondition(stopped));
}

type FunctionView = KubeObject<unknown, { replicas?: number }>;

const openfaas = check(
  conditions(on('Ready', 'False', degraded), on('Stalled', 'True', degraded), (condition, object) => {
    if (condition.type !== 'Ready' || condition.status !== 'True') return undefined;
    return ((object as FunctionView).status?.replicas ?? 0) > 0 ? healthy() : suspended('scaled to zero');
  }),
);

type SpinView = KubeObject<{ replicas?: number }, { readyReplicas?: number }>;

function spinHealth(object: KubeObject): Health | undefined {
  if (!object.status) return undefined;
  const { spec, status } = object as SpinView;
  const progress = conditionOf(object, 'Progressing');
  if (progress?.status === 'False' && hasFailed(progress)) return degraded(describeCondition(progress));
  const available = conditionOf(object, 'Available');
  if (available?.status !== 'True')
    return degraded(available ? describeCondition(available) : 'the app is not available');
  const ready = status?.readyReplicas ?? 0;
  const wanted = spec?.replicas ?? 1;
  if (ready < wanted) return progressing(`${ready} of ${wanted} replicas are ready`);
  return progress?.status === 'True' ? progressing(describeCondition(progress)) : healthy();
}

const hasFailed = ({ reason, message = '' }: { reason?: string; message?: string }): boolean =>
  reason === 'ProgressDeadlineExceeded' || /timeout|failed/i.test(message);

/** Numaflow: everything that is False counts, and so does a trial that numaplane calls failed. */
function numaflow(rest: readonly string[]): HealthCheck {
  const running = Object.fromEntries(['Running', ...rest].map((word) => [word, healthy]));
  return check(
    (object) => (object.status ? unobserved(object) : progressing(waitingForSpec)),
    phases('status.phase', { Failed: degraded }),
    trialFailed,
    conditions((condition) =>
      condition.status === 'False' ? degraded(describeCondition(condition)) : undefined,
    ),
    phases('status.phase', running),
  );
}

const trialFailed: HealthRule = ({ metadata }) =>
  metadata.labels?.['numaplane.numaproj.io/progressive-result-state'] === 'failed'
    ? degraded('the progressive upgrade failed')
    : undefined;

type Aggregated = { clusterName?: string; health?: string; applied?: boolean; appliedMessage?: string };
type BindingView = KubeObject<{ clusters?: unknown[] }, { aggregatedStatus?: Aggregated[] }>;

/** Karmada: one line per member cluster, and a line for each. */
function bindingHealth(needsClusters: boolean): HealthRule {
  return (object) => {
    const { spec, status } = object as BindingView;
    if (!status) return undefined;
    const wanted = spec?.clusters?.length;
    if (wanted === 0 || (wanted === undefined && needsClusters))
      return progressing('no cluster is scheduled yet');
    const lines = status.aggregatedStatus ?? [];
    if (lines.length === 0 || (wanted !== undefined && wanted !== lines.length)) {
      return progressing(`${lines.length} of ${wanted ?? 'its'} clusters have reported`);
    }
    return membersOf(lines);
  };
}

function membersOf(lines: readonly Aggregated[]): Health {
  const bad = lines.find(
    ({ health, applied }) => health === 'Unhealthy' || (health === 'Unknown' && applied !== true),
  );
  return bad ? degraded(`${bad.clusterName}: ${bad.appliedMessage ?? bad.health}`) : healthy();
}

type SpotView = KubeObject<unknown, { phase?: string }>;

const spotHealth: HealthRule = (object) => {
  if (conditionsOf(object).length === 0) return undefined;
  const stuck = conditions(
    (condition) => (condition.type === 'InvalidSpec' ? degraded(describeCondition(condition)) : undefined),
    (condition) =>
      condition.type === 'Progressing' &&
      /^(?:RolloutAborted|ProgressDeadlineExceeded)$/.test(condition.reason ?? '')
        ? degraded(describeCondition(condition))
        : undefined,
    on('Paused', 'True', suspended),
  )(object);
  return (
    stuck ?? ((object as SpotView).status?.phase === 'Progressing' ? progressing('Progressing') : healthy())
  );
};

const tekton = check(settledBy('Succeeded'));

type KeptnView = KubeObject<unknown, { pass?: boolean; warning?: boolean; errMsg?: string; value?: unknown }>;

function analysisHealth(object: KubeObject): Health | undefined {
  const { pass, warning } = (object as KeptnView).status ?? {};
  if (pass || warning) return healthy(warning ? 'passed with a warning' : undefined);
  return pass === false ? degraded('the analysis did not pass') : undefined;
}

function metricHealth(object: KubeObject): Health | undefined {
  const { errMsg, value } = (object as KeptnView).status ?? {};
  if (errMsg) return degraded(errMsg);
  return value === undefined ? undefined : healthy();
}

/** Keycloak keeps its history in the conditions, in no order: the oldest that decides is the one it acted on. */
const keycloak: HealthRule = (object) =>
  firstAnswer(
    [...conditionsOf(object)].sort(
      (a, b) =>
        (parseTime(a.lastTransitionTime) ?? Infinity) - (parseTime(b.lastTransitionTime) ?? Infinity) || 0,
    ),
    object,
    [on('Ready', 'True', healthy), on('HasErrors', 'True', degraded)],
  );

const keptnStates = { Succeeded: healthy, Failed: degraded };

/** Kinds that run code by other means than a Deployment. */
export const workloads: Checks = {
  'camel.apache.org/Integration': check(settledBy('Ready')),
  'core.spinkube.dev/SpinApp': check(spinHealth),
  'flagger.app/Canary': check(
    phases(
      'status.phase',
      {
        Failed: degraded,
        Progressing: progressing,
        Finalising: progressing,
        Promoting: progressing,
        Succeeded: healthy,
        Initialized: healthy,
      },
      unknown,
    ),
    otherwise(unknown, 'no phase is reported yet'),
  ),
  'k8s.keycloak.org/Keycloak': check(keycloak),
  ...sameFor(
    'lifecycle.keptn.sh',
    ['KeptnAppVersion', 'KeptnTask', 'KeptnWorkloadInstance', 'KeptnWorkloadVersion'],
    check(phases('status.status', keptnStates)),
  ),
  'lifecycle.keptn.sh/KeptnEvaluation': check(phases('status.overallStatus', keptnStates)),
  'metrics.keptn.sh/Analysis': check(analysisHealth),
  'metrics.keptn.sh/KeptnMetric': check(metricHealth),
  'numaflow.numaproj.io/InterStepBufferService': numaflow([]),
  'numaflow.numaproj.io/MonoVertex': numaflow(['Paused']),
  'numaflow.numaproj.io/Pipeline': numaflow(['Paused', 'Pausing']),
  'numaflow.numaproj.io/Vertex': numaflow(['Paused']),
  'openfaas.com/Function': openfaas,
  'serving.kserve.io/InferenceService': check(conditions(on('Stopped', 'True', suspended)), inferenceHealth),
  'serving.kserve.io/LLMInferenceService': check(outdated, llmHealth, settledBy('Ready')),
  'spot.io/SpotDeployment': check(spotHealth),
  ...sameFor('tekton.dev', ['PipelineRun', 'TaskRun'], tekton),
  'work.karmada.io/ClusterResourceBinding': check(bindingHealth(true)),
  'work.karmada.io/ResourceBinding': check(bindingHealth(false)),
};
