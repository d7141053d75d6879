import { type KubeObject, printTime } from '#base/model';
import { clone, isObject, type JsonObject } from '#base/std';
import type { ActionChange, BuiltIn, BuiltIns } from './action.ts';
import { always, at, edits, icon, read, set, stamp, unless } from './edit.ts';
import { minuteOf } from './workloads.ts';

type RolloutView = KubeObject<
  { paused?: boolean; strategy?: { canary?: { steps?: unknown[] }; blueGreen?: unknown } },
  {
    abort?: boolean;
    currentPodHash?: string;
    stableRS?: string;
    currentStepIndex?: number;
    observedGeneration?: string;
    pauseConditions?: unknown[];
  }
>;
type RolloutStatus = NonNullable<RolloutView['status']>;

const statusOf = (object: KubeObject): RolloutStatus => (object as RolloutView).status ?? {};
const stepsOf = (object: KubeObject): unknown[] | undefined =>
  (object as RolloutView).spec?.strategy?.canary?.steps;
const isPromoted = (object: KubeObject): boolean =>
  statusOf(object).currentPodHash === statusOf(object).stableRS;
const isAborted = (object: KubeObject): boolean => statusOf(object).abort === true;

function isPaused(object: KubeObject): boolean {
  const { pauseConditions } = statusOf(object);
  return pauseConditions ? pauseConditions.length > 0 : (object as RolloutView).spec?.paused === true;
}

/**
 * Rollouts before 1.0 wrote a hash there; they have no promoteFull and are moved to their last step instead.
 */
function isBeforeOne(object: KubeObject): boolean {
  const seen = Number(statusOf(object).observedGeneration ?? Number.NaN);
  return Number.isNaN(seen) || seen > (object.metadata.generation ?? 0);
}

const cannotPromote = (object: KubeObject): boolean => {
  if (!object.status || isPromoted(object)) return true;
  return isBeforeOne(object) && Boolean((object as RolloutView).spec?.strategy?.blueGreen);
};

function promoteFull(object: KubeObject): void {
  if (!object.status) return;
  const status = at(object, 'status');
  if (!isBeforeOne(object)) {
    status.promoteFull = true;
    return;
  }
  delete status.abort;
  const steps = stepsOf(object);
  if (steps) status.currentStepIndex = steps.length;
}

function skipStep(object: KubeObject): void {
  const { currentStepIndex = 0, pauseConditions } = statusOf(object);
  const steps = stepsOf(object);
  if (!object.status || !steps || currentStepIndex >= steps.length) return;
  const status = at(object, 'status');
  if (pauseConditions?.length) delete status.pauseConditions;
  status.currentStepIndex = currentStepIndex + 1;
}

function resume(object: KubeObject): void {
  if (statusOf(object).pauseConditions?.length) delete at(object, 'status').pauseConditions;
  if ((object as RolloutView).spec?.paused) at(object, 'spec').paused = false;
}

const rollout: BuiltIns = {
  restart: edits(always({ displayName: 'Restart pods' }), stamp('spec', 'restartAt')),
  pause: edits(
    unless(
      (object) => isPromoted(object) || isAborted(object) || (object as RolloutView).spec?.paused === true,
    ),
    set('spec', 'paused', true),
  ),
  resume: edits(
    unless((object) => !isPaused(object)),
    resume,
  ),
  abort: edits(
    unless((object) => isPromoted(object) || isAborted(object)),
    set('status', 'abort', true),
  ),
  retry: edits(
    unless((object) => isPromoted(object) || !isAborted(object)),
    (object) => {
      delete at(object, 'status').abort;
    },
  ),
  'promote-full': edits(unless(cannotPromote), promoteFull),
  'skip-current-step': edits(
    unless(
      (object) =>
        stepsOf(object) === undefined || statusOf(object).currentStepIndex === stepsOf(object)?.length,
    ),
    skipStep,
  ),
};

const finished: ReadonlySet<unknown> = new Set(['Successful', 'Failed', 'Error', 'Inconclusive']);

function isAutoSynced(object: KubeObject): boolean {
  const automated = read(object, 'spec.syncPolicy.automated');
  return isObject(automated) && automated.enabled !== false;
}

const toggleAutoSync: BuiltIn = edits(
  (object) => ({ displayName: isAutoSynced(object) ? 'Disable auto-sync' : 'Enable auto-sync' }),
  (object) => {
    const enabled = !isAutoSynced(object);
    at(object, 'spec.syncPolicy.automated').enabled = enabled;
  },
);

const workflows = 'workflows.argoproj.io';
const instanceId = `${workflows}/controller-instanceid`;

function workflowOf(
  object: KubeObject,
  now: Date,
  parts: { metadata: JsonObject; spec: unknown },
): readonly ActionChange[] {
  const { apiVersion, kind, metadata } = object;
  const resource = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: `${metadata.name}-${minuteOf(now)}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      ...parts.metadata,
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }],
    },
    spec: parts.spec,
  };
  return [{ operation: 'create', resource: resource as unknown as KubeObject }];
}

type CronWorkflowView = KubeObject<{ workflowSpec?: unknown; workflowMetadata?: JsonObject }>;

/** dev engine H-37: finalizers go into the metadata and the scheduled time is a real time; the peer misplaces both. */
function fromCronWorkflow(object: KubeObject, { now }: { now: Date }): readonly ActionChange[] {
  const { workflowSpec = {}, workflowMetadata = {} } = (object as CronWorkflowView).spec ?? {};
  const { labels, annotations, finalizers } = clone(workflowMetadata);
  const instance = object.metadata.labels?.[instanceId];
  const metadata = {
    labels: {
      ...(isObject(labels) ? labels : {}),
      [`${workflows}/cron-workflow`]: object.metadata.name,
      ...(instance === undefined ? {} : { [instanceId]: instance }),
    },
    annotations: {
      ...(isObject(annotations) ? annotations : {}),
      [`${workflows}/scheduled-time`]: printTime(now),
    },
    ...(Array.isArray(finalizers) && finalizers.length > 0 ? { finalizers } : {}),
  };
  return workflowOf(object, now, { metadata, spec: clone(workflowSpec) });
}

function fromTemplate(object: KubeObject, { now }: { now: Date }): readonly ActionChange[] {
  const { name } = object.metadata;
  return workflowOf(object, now, {
    metadata: { labels: { [`${workflows}/workflow-template`]: name } },
    spec: { workflowTemplateRef: { name } },
  });
}

const createAppearance = always({ iconClass: icon.create, displayName: 'Create workflow' });

/** The Argo projects, ours included. */
export const argoActions: Readonly<Record<string, BuiltIns>> = {
  'argoproj.io/AnalysisRun': {
    terminate: edits(
      unless((run) => read(run, 'spec.terminate') === true || finished.has(read(run, 'status.phase'))),
      set('spec', 'terminate', true),
    ),
  },
  'argoproj.io/Application': { 'toggle-auto-sync': toggleAutoSync },
  'argoproj.io/CronWorkflow': { 'create-workflow': { offer: createAppearance, run: fromCronWorkflow } },
  'argoproj.io/Rollout': rollout,
  'argoproj.io/WorkflowTemplate': { 'create-workflow': { offer: createAppearance, run: fromTemplate } },
  'promoter.argoproj.io/PullRequest': {
    merge: edits(
      unless((request) => read(request, 'spec.state') !== 'open', {
        iconClass: 'fa fa-fw fa-code-merge',
        displayName: 'Merge pull request',
      }),
      set('spec', 'state', 'merged'),
    ),
  },
};
