import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, runAll, type Task } from '#base/std';
import type { ObjectChange } from '#control/live';
import { type QueueHooks, type Requeue, runWorkers, WorkQueue } from '#control/runtime';
import { type AnalysisRun, isFinished } from '#engine/rollouts';
import { hasReason } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import { type Announce, announcing } from '../notification/announce.ts';
import type { RolloutInformers } from '../rollout/informers.ts';
import { saveStatus } from '../rollout/save-status.ts';
import type { MetricProviderDeps } from './providers/provider.ts';
import { reconcileRun } from './reconcile.ts';

export type AnalysisControllerDeps = MetricProviderDeps & {
  readonly informers: RolloutInformers;
  readonly events: EventRecorder;
  /** compat rollouts RC-5. */
  readonly instanceId?: string | undefined;
  readonly hooks?: QueueHooks;
  readonly observe?: AnalysisObserver;
  /** Receives what happens to AnalysisRuns, for their subscribers. */
  readonly announce?: Announce;
};

/** Receives the passes over AnalysisRuns, for metrics. */
type AnalysisObserver = {
  measured(run: AnalysisRun, ms: number, error: FairleadError | undefined): void;
};

/** A measurement mostly waits for its endpoint; a slow one delays no other run. */
const workers = 200;
/** A Job reports by the watch; this is for a report that is lost. */
const requestMs = 30_000;
const instanceLabel = 'argo-rollouts.argoproj.io/controller-instance-id';

/** compat rollouts §10: carries AnalysisRuns out. The run is all that it shares with the controller of Rollouts. */
export function analysisController(deps: AnalysisControllerDeps): Task {
  return async (ctx) => {
    const queue = new WorkQueue({ clock: ctx.clock, ...(deps.hooks && { hooks: deps.hooks }) });
    const { informers } = deps;
    informers.onReferenced((object) => hearJob(queue, informers, object));
    await runAll(ctx, [
      (inner) => hearRuns(queue, informers.runs.changes(inner)),
      async (inner) => {
        await informers.whenSynced(inner);
        for (const run of informers.runs.list()) queue.add(keyOf(run), 'bulk');
      },
      (inner) => runWorkers(inner, queue, (one, key) => pass(one, deps, key), { workers }),
    ]);
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

async function hearRuns(queue: WorkQueue, changes: AsyncIterable<ObjectChange>): Promise<void> {
  for await (const { after } of changes) if (after) queue.add(keyOf(after));
}

/** The name of a Job begins with the uid of its run. */
function hearJob(queue: WorkQueue, { runs }: RolloutInformers, { kind, metadata }: KubeObject): void {
  if (kind !== 'Job') return;
  for (const run of runs.list()) if (metadata.name.startsWith(`${run.metadata.uid}.`)) queue.add(keyOf(run));
}

async function pass(ctx: Ctx, deps: AnalysisControllerDeps, key: string): Promise<Requeue | undefined> {
  const { informers, instanceId } = deps;
  await informers.whenSynced(ctx);
  const [namespace = '', name = ''] = key.split('/');
  const run = informers.runs.get(namespace, name);
  if (!run || run.metadata.deletionTimestamp || run.metadata.labels?.[instanceLabel] !== instanceId)
    return undefined;
  if (isFinished(run.status?.phase)) {
    (await deps.announce?.(ctx, run, []))?.made();
    return expire(ctx, deps, run);
  }
  if (run.spec?.metrics?.some(({ provider }) => provider?.job)) informers.watch('batch/v1', 'Job');
  const { status, notes, wakeAt } = await observed(deps, run, () => reconcileRun(ctx, deps, run));
  const to = { kube: deps.kube, informer: informers.runs };
  const facts = notes.map((event) => ({ rollout: { ...run, status }, event, analysisRuns: [] }));
  const isSaved = await announcing(ctx, deps.announce, { object: run, facts }, () =>
    saveStatus(ctx, to, run, status),
  );
  if (!isSaved) return { requeueAfter: 20 };
  for (const note of notes) deps.events.record(run, note);
  if (isFinished(status.phase)) return expire(ctx, deps, { ...run, status });
  return { requeueAfter: wakeAt === undefined ? requestMs : Math.max(0, wakeAt - ctx.clock.now().getTime()) };
}

async function observed<T>(
  { observe }: AnalysisControllerDeps,
  run: AnalysisRun,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  let failure: FairleadError | undefined;
  try {
    return await work();
  } catch (error) {
    failure = FairleadError.from(error);
    throw error;
  } finally {
    observe?.measured(run, performance.now() - began, failure);
  }
}

/** compat rollouts RA-19: a finished run may have a time to live. */
async function expire(
  ctx: Ctx,
  { kube }: AnalysisControllerDeps,
  run: AnalysisRun,
): Promise<Requeue | undefined> {
  const { secondsAfterCompletion, secondsAfterSuccess, secondsAfterFailure } = run.spec?.ttlStrategy ?? {};
  const { phase, completedAt } = run.status ?? {};
  const seconds =
    (phase === 'Successful' ? secondsAfterSuccess : secondsAfterFailure) ?? secondsAfterCompletion;
  if (seconds === undefined || completedAt === undefined) return undefined;
  const left = Date.parse(completedAt) + seconds * 1000 - ctx.clock.now().getTime();
  if (left > 0) return { requeueAfter: left };
  const { apiVersion, kind, metadata } = run;
  const { name, namespace, uid } = metadata;
  const preconditions = uid ? { preconditions: { uid } } : {};
  await kube
    .delete(ctx, { apiVersion, kind, namespace, name }, { propagationPolicy: 'Background', ...preconditions })
    .catch((error: unknown) => {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    });
  return undefined;
}
