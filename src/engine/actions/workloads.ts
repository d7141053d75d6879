import { type Condition, type KubeObject, printTime } from '#base/model';
import { clone, isObject, type JsonObject } from '#base/std';
import { type ActionChange, type BuiltIn, type BuiltIns, replicasFrom } from './action.ts';
import { always, at, edits, icon, onlyIf, read, set, stamp, switchOff, unless } from './edit.ts';

// compat engine H-37: the annotation kubectl's own restart uses, so that both leave the same trace
const restart: BuiltIn = edits(
  always({ iconClass: icon.restart }),
  stamp('spec.template.metadata.annotations', 'kubectl.kubernetes.io/restartedAt'),
);

const scale: BuiltIn = edits(
  always({ iconClass: icon.scale, params: [{ name: 'replicas' }] }),
  (object, input) => {
    at(object, 'spec').replicas = replicasFrom(input);
  },
);

const isPaused = (object: KubeObject): boolean => read(object, 'spec.paused') === true;
const isSuspended = (object: KubeObject): boolean => read(object, 'spec.suspend') === true;

const endings: ReadonlySet<string> = new Set(['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet']);

function isEnded(job: KubeObject): boolean {
  const conditions = read(job, 'status.conditions');
  return (
    Array.isArray(conditions) &&
    conditions.some(({ type, status }: Condition) => endings.has(type) && status === 'True')
  );
}

/** The Job controller ends a Job that has a failure target; nothing is deleted. */
const terminate: BuiltIn = edits(
  onlyIf((job) => !isEnded(job) && job.status !== undefined, { iconClass: icon.stop }),
  (job, { now }) => {
    if (!job.status || isEnded(job)) return;
    const status = at(job, 'status');
    const conditions = Array.isArray(status.conditions) ? status.conditions : [];
    status.conditions = [
      ...conditions,
      {
        type: 'FailureTarget',
        status: 'True',
        reason: 'ManuallyTerminated',
        message: 'terminated by a resource action',
        lastTransitionTime: printTime(now),
      },
    ];
  },
);

type CronJobView = KubeObject<{ jobTemplate?: { metadata?: JsonObject; spec?: unknown } }>;

/** compat engine H-37: what `kubectl create job --from` makes, but named by the minute, so that a double click makes one. */
function createJob(object: KubeObject, { now }: { now: Date }): readonly ActionChange[] {
  const { apiVersion, kind, metadata } = object;
  const template = (object as CronJobView).spec?.jobTemplate ?? {};
  const own = clone(template.metadata ?? {});
  const annotations = {
    ...(isObject(own.annotations) ? own.annotations : {}),
    'cronjob.kubernetes.io/instantiate': 'manual',
  };
  const owner = {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    blockOwnerDeletion: true,
    controller: true,
  };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...own,
      name: `${metadata.name}-${minuteOf(now).slice(2)}`,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      annotations,
      ownerReferences: [owner],
    },
    ...(template.spec === undefined ? {} : { spec: clone(template.spec) }),
  };
  return [{ operation: 'create', resource: job as unknown as KubeObject }];
}

/** `202601311945`, in UTC. */
export const minuteOf = (now: Date): string => now.toISOString().slice(0, 16).replace(/\D/g, '');

/** Deployment and its kin, and what runs to an end. */
export const workloadActions: Readonly<Record<string, BuiltIns>> = {
  'apps/DaemonSet': { restart },
  'apps/Deployment': {
    restart,
    pause: edits(unless(isPaused, { iconClass: icon.pause }), set('spec', 'paused', true)),
    resume: edits(
      unless((object) => !isPaused(object), { iconClass: icon.resume }),
      (object) => {
        delete at(object, 'spec').paused;
      },
    ),
    scale,
  },
  'apps/StatefulSet': { restart, scale },
  'batch/CronJob': {
    'create-job': { offer: always({ iconClass: icon.create, displayName: 'Create job' }), run: createJob },
    suspend: edits(
      onlyIf((object) => !isSuspended(object), { iconClass: icon.suspend }),
      set('spec', 'suspend', true),
    ),
    resume: edits(onlyIf(isSuspended, { iconClass: icon.play }), switchOff('spec', 'suspend')),
  },
  'batch/Job': {
    suspend: edits(
      onlyIf((job) => !isEnded(job) && !isSuspended(job), { iconClass: icon.suspend }),
      set('spec', 'suspend', true),
    ),
    resume: edits(
      onlyIf((job) => !isEnded(job) && isSuspended(job), { iconClass: icon.play }),
      switchOff('spec', 'suspend'),
    ),
    terminate,
  },
};
