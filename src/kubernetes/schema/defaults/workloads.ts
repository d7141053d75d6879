import { isObject, type JsonObject } from '../type-node.ts';
import { type DefaultingStep, each, fill, inside, insideAlways, steps } from './fill.ts';
import { defaultTemplate } from './pod.ts';
import { roundUp } from './resources.ts';
import { defaultClaimSpec } from './volumes.ts';

const template: DefaultingStep = (spec) => insideAlways(spec, 'template', defaultTemplate);

/** Fills `rollingUpdate` where the strategy is (or becomes) RollingUpdate. */
const rolling =
  (defaults: JsonObject): DefaultingStep =>
  (strategy) => {
    const typed = fill(strategy, { type: 'RollingUpdate' });
    if (typed.type !== 'RollingUpdate') return typed;
    return insideAlways(typed, 'rollingUpdate', (update) => fill(update, defaults));
  };

const deploymentSpec: DefaultingStep = steps(
  (spec) => fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
  (spec) => insideAlways(spec, 'strategy', rolling({ maxUnavailable: '25%', maxSurge: '25%' })),
  template,
);

const daemonSetSpec: DefaultingStep = steps(
  (spec) => fill(spec, { revisionHistoryLimit: 10 }),
  (spec) => insideAlways(spec, 'updateStrategy', rolling({ maxUnavailable: 1, maxSurge: 0 })),
  template,
);

/** compat cluster 3.12: a StatefulSet that names its strategy keeps `rollingUpdate` as it wrote it. */
function statefulUpdate(strategy: JsonObject): JsonObject {
  if (!strategy.type) return rolling({ partition: 0 })(strategy);
  if (strategy.type !== 'RollingUpdate') return strategy;
  return inside(strategy, 'rollingUpdate', (update) => fill(update, { partition: 0 }));
}

/** A claim as it stands in volumeClaimTemplates or on its own. */
export const defaultClaim: DefaultingStep = steps(
  (claim) => insideAlways(claim, 'spec', defaultClaimSpec),
  (claim) => insideAlways(claim, 'status', (status) => fill(status, { phase: 'Pending' })),
  (claim) => inside(claim, 'status', steps(roundUp('capacity'), roundUp('allocatedResources'))),
);

const statefulSetSpec: DefaultingStep = steps(
  (spec) => fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' }),
  (spec) => insideAlways(spec, 'updateStrategy', statefulUpdate),
  (spec) =>
    insideAlways(spec, 'persistentVolumeClaimRetentionPolicy', (policy) =>
      fill(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
    ),
  (spec) =>
    each(spec, 'volumeClaimTemplates', (claim) =>
      defaultClaim(fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' })),
    ),
  template,
);

/** Its template may be missing, and then is. */
const replicationControllerSpec: DefaultingStep = steps(
  (spec) => fill(spec, { replicas: 1 }),
  (spec) => inside(spec, 'template', defaultTemplate),
);

const replicaSetSpec: DefaultingStep = steps((spec) => fill(spec, { replicas: 1 }), template);

function completions(spec: JsonObject): JsonObject {
  const isOneShot = spec.completions === undefined && spec.parallelism === undefined;
  return isOneShot ? { ...spec, completions: 1, parallelism: 1 } : fill(spec, { parallelism: 1 });
}

/** Retries per index replace the overall limit, which then stands for "no limit". */
const backoffLimitOf = (spec: JsonObject): number =>
  spec.backoffLimitPerIndex === undefined ? 6 : 2147483647;

const failurePolicy: DefaultingStep = (policy) =>
  each(policy, 'rules', (rule) =>
    each(rule, 'onPodConditions', (pattern) => fill(pattern, { status: 'True' })),
  );

const jobSpec: DefaultingStep = steps(
  completions,
  (spec) =>
    fill(spec, {
      backoffLimit: backoffLimitOf(spec),
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    }),
  (spec) => inside(spec, 'podFailurePolicy', failurePolicy),
  template,
);

const cronJobSpec: DefaultingStep = steps(
  (spec) =>
    fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
  (spec) =>
    insideAlways(spec, 'jobTemplate', (job) =>
      insideAlways(
        job,
        'spec',
        steps(template, (inner) => inside(inner, 'podFailurePolicy', failurePolicy)),
      ),
    ),
);

const templateLabels = ({ spec }: JsonObject): JsonObject | undefined => {
  const view = spec as { template?: { metadata?: { labels?: JsonObject } } } | undefined;
  const labels = view?.template?.metadata?.labels;
  return isObject(labels) && Object.keys(labels).length > 0 ? labels : undefined;
};

/** compat cluster 3.12: an object without labels of its own takes its template's. */
function inheritLabels(object: JsonObject): JsonObject {
  const labels = templateLabels(object);
  if (labels === undefined) return object;
  return insideAlways(object, 'metadata', (metadata) => {
    const isBare = !isObject(metadata.labels) || Object.keys(metadata.labels).length === 0;
    return isBare ? { ...metadata, labels } : metadata;
  });
}

function inheritSelector(object: JsonObject): JsonObject {
  const labels = templateLabels(object);
  if (labels === undefined) return object;
  return inside(object, 'spec', (spec) => {
    const isBare = !isObject(spec.selector) || Object.keys(spec.selector).length === 0;
    return isBare ? { ...spec, selector: labels } : spec;
  });
}

const withSpec =
  (step: DefaultingStep): DefaultingStep =>
  (object) =>
    insideAlways(object, 'spec', step);

export const workloadDefaults: Record<string, DefaultingStep> = {
  'apps/v1/Deployment': withSpec(deploymentSpec),
  'apps/v1/DaemonSet': withSpec(daemonSetSpec),
  'apps/v1/StatefulSet': withSpec(statefulSetSpec),
  'apps/v1/ReplicaSet': withSpec(replicaSetSpec),
  'v1/ReplicationController': steps(inheritSelector, inheritLabels, withSpec(replicationControllerSpec)),
  'v1/PodTemplate': (object) => insideAlways(object, 'template', defaultTemplate),
  'batch/v1/Job': steps(inheritLabels, withSpec(jobSpec)),
  'batch/v1/CronJob': withSpec(cronJobSpec),
};
