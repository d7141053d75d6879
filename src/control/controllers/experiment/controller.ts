import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, runAll, type Task } from '#base/std';
import type { ObjectChange } from '#control/live';
import { type QueueHooks, type Requeue, runWorkers, WorkQueue } from '#control/runtime';
import type { Experiment, ExperimentPlan } from '#engine/rollouts';
import { hasReason, type KubeClient } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import type { Announce } from '../notification/announce.ts';
import type { RolloutInformers } from '../rollout/informers.ts';
import { ownerKeyOf } from '../rollout/owner-key.ts';
import { type ExperimentPassDeps, ownerOf, reconcileExperiment } from './reconcile.ts';

export type ExperimentControllerDeps = {
  readonly kube: KubeClient;
  readonly informers: RolloutInformers;
  readonly events: EventRecorder;
  /** compat rollouts RC-5. */
  readonly instanceId?: string | undefined;
  readonly hooks?: QueueHooks;
  readonly observe?: ExperimentObserver;
  /** Receives what happens to Experiments, for their subscribers and those of their Rollouts. */
  readonly announce?: Announce;
};

/** Receives the passes over Experiments, for metrics. */
type ExperimentObserver = {
  experimented(experiment: Experiment, ms: number, error: FairleadError | undefined): void;
};

const workers = 10;
/** The watch delivers what caused a conflict within moments. */
const conflictMs = 20;
const instanceLabel = 'argo-rollouts.argoproj.io/controller-instance-id';

const ownerKey = ownerKeyOf('Experiment');
const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** compat rollouts §11: runs versions side by side, as Experiments say. */
export function experimentController(deps: ExperimentControllerDeps): Task {
  return async (ctx) => {
    const { informers, kube } = deps;
    const queue = new WorkQueue({ clock: ctx.clock, ...(deps.hooks && { hooks: deps.hooks }) });
    const reading: ExperimentPassDeps = {
      kube,
      informers,
      replicaSetsOf: informers.replicaSets.indexBy(ownerKey),
      servicesOf: informers.services.indexBy(ownerKey),
      runsOf: informers.runs.indexBy(ownerKey),
      announce: deps.announce,
    };
    await runAll(ctx, [
      // subscribe before the first pass: no later change is missed
      (inner) => hearExperiments(queue, informers.experiments.changes(inner)),
      (inner) => hearOwned(queue, informers.replicaSets.changes(inner)),
      (inner) => hearOwned(queue, informers.services.changes(inner)),
      (inner) => hearOwned(queue, informers.runs.changes(inner)),
      async (inner) => {
        await informers.whenSynced(inner);
        for (const experiment of informers.experiments.list()) queue.add(keyOf(experiment), 'bulk');
      },
      (inner) => runWorkers(inner, queue, (one, key) => pass(one, deps, reading, key), { workers }),
    ]);
  };
}

async function hearExperiments(queue: WorkQueue, changes: AsyncIterable<ObjectChange>): Promise<void> {
  for await (const { after } of changes) if (after) queue.add(keyOf(after));
}

async function hearOwned(queue: WorkQueue, changes: AsyncIterable<ObjectChange>): Promise<void> {
  for await (const { before, after } of changes)
    for (const key of new Set([before && ownerKey(before), after && ownerKey(after)]))
      if (key !== undefined) queue.add(key);
}

async function pass(
  ctx: Ctx,
  deps: ExperimentControllerDeps,
  reading: ExperimentPassDeps,
  key: string,
): Promise<Requeue | undefined> {
  const { informers, instanceId, observe } = deps;
  await informers.whenSynced(ctx);
  const [namespace = '', name = ''] = key.split('/');
  const experiment = informers.experiments.get(namespace, name);
  if (!experiment || experiment.metadata.deletionTimestamp) return undefined;
  if (experiment.metadata.labels?.[instanceLabel] !== instanceId) return undefined;
  const began = performance.now();
  let failure: FairleadError | undefined;
  try {
    const plan = await reconcileExperiment(ctx, reading, experiment);
    return plan ? report(ctx, deps, experiment, plan) : { requeueAfter: conflictMs };
  } catch (error) {
    if (hasReason(error, 'Conflict')) return { requeueAfter: conflictMs };
    failure = FairleadError.from(error);
    throw error;
  } finally {
    observe?.experimented(experiment, performance.now() - began, failure);
  }
}

/** Records the events of a plan; what happens to the runs also concerns the Rollout whose step the Experiment is. */
function report(
  ctx: Ctx,
  { events, informers }: ExperimentControllerDeps,
  experiment: Experiment,
  plan: ExperimentPlan,
): Requeue | undefined {
  for (const event of plan.events) events.record(experiment, event);
  const rollout = ownerOf(informers, experiment);
  if (rollout) for (const event of plan.ownerEvents) events.record(rollout, event);
  if (plan.wakeAt === undefined) return undefined;
  return { requeueAfter: Math.max(0, plan.wakeAt - ctx.clock.now().getTime()) };
}
