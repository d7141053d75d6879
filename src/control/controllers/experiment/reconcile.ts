import { controllerOf, type KubeObject } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type AnalysisRun,
  type Experiment,
  type ExperimentPlan,
  planExperiment,
  type Rollout,
  type RolloutReplicaSet,
  type RolloutService,
  type RolloutWrite,
  withFailure,
} from '#engine/rollouts';
import { hasReason, refOf } from '#kubernetes/client';
import { type Announce, announcing, type RolloutEventFacts } from '../notification/announce.ts';
import { eventFactsOf } from '../rollout/event-subject.ts';
import { type ExecutePlanDeps, fieldManager, keep, makeWrite } from '../rollout/execute-plan.ts';
import { saveStatus } from '../rollout/save-status.ts';

export type ExperimentPassDeps = ExecutePlanDeps & {
  /** The ReplicaSets, Services and runs of an Experiment, by `namespace/name` of it. */
  replicaSetsOf(key: string): readonly RolloutReplicaSet[];
  servicesOf(key: string): readonly RolloutService[];
  runsOf(key: string): readonly AnalysisRun[];
  readonly announce?: Announce | undefined;
};

/**
 * Reads what a pass over the Experiment needs, plans, and carries the plan out, the status last. Undefined: the Experiment
 * changed meanwhile, and the next pass plans again.
 */
export async function reconcileExperiment(
  ctx: Ctx,
  deps: ExperimentPassDeps,
  experiment: Experiment,
): Promise<ExperimentPlan | undefined> {
  const plan = planned(ctx, deps, experiment);
  const failed: ExperimentPlan['events'][number][] = [];
  let status = plan.status ?? experiment.status ?? {};
  for (const write of plan.writes) {
    const message = await made(ctx, deps, experiment, write);
    if (message === undefined || write.verb !== 'create') continue;
    status = withFailure(status, subjectOf(write.object), message);
    const reason = write.object.kind === 'AnalysisRun' ? 'AnalysisRunError' : 'TemplateError';
    failed.push({ type: 'Warning', reason, message });
  }
  const to = { kube: deps.kube, informer: deps.informers.experiments };
  const done = { ...plan, status, events: [...plan.events, ...failed] };
  const facts = factsOf(ctx, deps, experiment, done);
  const isSaved = await announcing(ctx, deps.announce, { object: experiment, facts }, () =>
    saveStatus(ctx, to, experiment, status),
  );
  return isSaved ? done : undefined;
}

/** compat rollouts RE-2: what happens to the runs also concerns the subscribers of the Rollout whose step the Experiment is. */
function factsOf(
  ctx: Ctx,
  { informers }: ExperimentPassDeps,
  experiment: Experiment,
  { status, events, ownerEvents }: ExperimentPlan,
): readonly RolloutEventFacts[] {
  const after = { ...experiment, ...(status && { status }) };
  const own = events.map((event) => ({ rollout: after, event, analysisRuns: [] }));
  const rollout = ownerEvents.length > 0 ? ownerOf(informers, experiment) : undefined;
  if (!rollout) return own;
  const runs = informers.runs.list().filter((run) => controllerOf(run)?.uid === rollout.metadata.uid);
  const plan = { writes: [], status: undefined, events: ownerEvents };
  return [...own, ...eventFactsOf(rollout, plan, { runs, now: ctx.clock.now() })];
}

export function ownerOf(
  { rollouts }: Pick<ExperimentPassDeps['informers'], 'rollouts'>,
  experiment: Experiment,
): Rollout | undefined {
  const owner = controllerOf(experiment);
  if (owner?.kind !== 'Rollout') return undefined;
  const rollout = rollouts.get(experiment.metadata.namespace ?? '', owner.name);
  return rollout?.metadata.uid === owner.uid ? rollout : undefined;
}

async function made(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  experiment: Experiment,
  write: RolloutWrite,
): Promise<string | undefined> {
  if (write.verb === 'create') return create(ctx, deps, experiment, write.object);
  await makeWrite(ctx, deps, write);
  return undefined;
}

function planned(ctx: Ctx, deps: ExperimentPassDeps, experiment: Experiment): ExperimentPlan {
  const { informers } = deps;
  const { namespace = '', name } = experiment.metadata;
  const key = `${namespace}/${name}`;
  const isOurs = (object: KubeObject): boolean => isOwned(object, experiment);
  return planExperiment({
    experiment,
    now: ctx.clock.now(),
    replicaSets: deps.replicaSetsOf(key).filter(isOurs),
    services: deps.servicesOf(key).filter(isOurs),
    runs: deps.runsOf(key).filter(isOurs),
    hasRun: (run) => informers.runs.get(namespace, run) !== undefined,
    template: (template, isClusterWide) =>
      isClusterWide
        ? informers.clusterTemplates.get('', template)
        : informers.templates.get(namespace, template),
  });
}

const isOwned = (object: KubeObject, { metadata }: Experiment): boolean =>
  !object.metadata.deletionTimestamp && controllerOf(object)?.uid === metadata.uid;

/** The template, or the run, that an object was created for. */
const subjectOf = ({ kind, metadata }: KubeObject) =>
  kind === 'AnalysisRun'
    ? { analysisRun: metadata.name }
    : { template: metadata.annotations?.['experiment.argoproj.io/template-name'] };

/**
 * Creates an object; the text says why it cannot be created, however often it is tried. Other errors are thrown, and the next
 * pass tries again.
 */
async function create(
  ctx: Ctx,
  deps: ExecutePlanDeps,
  experiment: Experiment,
  object: KubeObject,
): Promise<string | undefined> {
  const { kind, metadata } = object;
  try {
    keep(deps, await deps.kube.create(ctx, object, { fieldManager }));
    return undefined;
  } catch (error) {
    if (hasReason(error, 'Invalid') || hasReason(error, 'Forbidden') || hasReason(error, 'BadRequest'))
      return `${kind} ${metadata.name} was not created: ${FairleadError.from(error).message}`;
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
  const existing = await deps.kube.find(ctx, refOf(object));
  if (existing && isOwned(existing, experiment)) {
    keep(deps, existing);
    return undefined;
  }
  if (!existing || isLeaving(existing, experiment))
    throw new FairleadError('Unavailable', `${kind} ${metadata.name} is being deleted`);
  return `${kind} ${metadata.name} exists and is not owned by the Experiment: delete it, or rename the Experiment`;
}

/** An object of an Experiment of the same name that was deleted: the garbage collector removes it. */
function isLeaving(existing: KubeObject, { metadata }: Experiment): boolean {
  const owner = controllerOf(existing);
  return (
    existing.metadata.deletionTimestamp !== undefined ||
    (owner?.kind === 'Experiment' && owner.name === metadata.name)
  );
}
