import {
  type Application,
  keyFrom,
  type OperationState,
  printTime,
  type ResourceKey,
  type Tally,
  withTally,
} from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type AppDestination,
  type ApplicationComparison,
  type ComparisonDeps,
  compareApplication,
  customTypesIn,
  resolveDestination,
} from '#control/comparison';
import {
  deadlineOf,
  denySource,
  gateOperation,
  ignoreRules,
  isCompleted,
  isHookOfSameSecond,
  nextPassMs,
  nextStep,
  ownerOf,
  type PlanInput,
  pinnedBy,
  planPass,
  planTasks,
  record,
  respectIgnored,
  type SyncPlan,
  type SyncStep,
  tallyOf,
  unseen,
} from '#engine';
import { hasReason, refOf } from '#kubernetes/client';
import type { Applications } from '../applications.ts';
import { yieldingClient } from '../pacing/yielding-client.ts';
import { isSourceUnavailable } from '../reconcile/reconcile.ts';
import type { Observer } from '../status/observer.ts';
import { executeStep, type StepDeps } from './execute-step.ts';
import { type NextStep, OperationRecord } from './operation-record.ts';

export type OperateDeps = {
  readonly context: ComparisonDeps;
  readonly apps: Pick<Applications, 'get' | 'fetch' | 'saveOperation'>;
  readonly observe?: Pick<Observer, 'client'> | undefined;
};

/** compat engine R-33: the interval of passes when no event arrives. */
const backstopMs = 30_000;

/**
 * dev engine R-37: a sync that has begun to write waits while its cluster or repository is unreachable: a retry would repeat
 * hooks.
 */
const unreachableMs = 5_000;

/** The interval of passes while an object to be recreated is being deleted; the deletion event triggers one at once. */
const leavingMs = 200;

/** Another writer advanced the operation: run the next pass when that step is done. */
const asideMs = 1_000;

/** One step of one operation. compat engine R-34: one pass, one step, at the pinned revision. */
export async function operate(ctx: Ctx, deps: OperateDeps, key: string): Promise<NextStep> {
  const app = await newest(ctx, deps, key);
  if (!app?.operation) return app && withdrawn(ctx, deps, app);
  const { controller } = deps.context.settings();
  const timeoutMs = controller.syncTimeoutMs;
  const next = planPass(app, app.operation, { now: ctx.clock.now(), timeoutMs });
  if (next.do === 'wait') return { afterMs: next.ms };
  if (sharesSecondWithHook(deps, app, next.state))
    return { afterMs: 1000 - (ctx.clock.now().getTime() % 1000) };
  const progress = new OperationRecord(ctx, deps, app, next.state);
  try {
    return await advance(ctx, deps, app, progress);
  } catch (thrown) {
    if (ctx.signal.aborted) throw thrown;
    return failed(ctx, progress, withKnownRevision(app, progress.state, thrown));
  }
}

/**
 * compat engine R-32: a pass acts on the newest version. The first pass need not fetch it: before it writes to the cluster it
 * records the operation with the resource version it read, and the API server rejects an older one.
 */
async function newest(ctx: Ctx, { apps }: OperateDeps, key: string): Promise<Application | undefined> {
  const held = apps.get(key);
  const state = held?.status?.operationState;
  const isFirst = held?.operation !== undefined && (!state || isCompleted(state));
  return isFirst ? held : apps.fetch(ctx, key);
}

/** dev engine R-32: a record that says Running without an operation is false; Argo CD leaves it so. */
async function withdrawn(ctx: Ctx, deps: OperateDeps, app: Application): Promise<NextStep> {
  const state = app.status?.operationState;
  if (!state || isCompleted(state)) return undefined;
  const progress = new OperationRecord(ctx, deps, app, { ...state, phase: 'Terminating' }); // so that it is not retried
  const message =
    'the operation was removed before it ended; resources that it had applied are left as they are';
  return progress.end({ phase: 'Failed', message });
}

/**
 * When the repository is unreachable and the operation names no revision: adds that nothing was applied, and which revision
 * can be.
 */
function withKnownRevision(app: Application, state: OperationState, thrown: unknown): unknown {
  const { revision } = app.status?.sync ?? {};
  const isOpen = pinnedBy(app, state).revisions === undefined;
  if (!isSourceUnavailable(thrown) || !isOpen || !revision) return thrown;
  const { code, message } = FairleadError.from(thrown);
  const hint = `nothing was applied; sync to revision ${revision} to apply the last known one`;
  return new FairleadError(code, `${message}; ${hint}`, thrown);
}

/** What becomes of an operation whose step failed. */
async function failed(ctx: Ctx, progress: OperationRecord, thrown: unknown): Promise<NextStep> {
  const { message, code } = FairleadError.from(thrown);
  const isPassing = code === 'Unavailable';
  if (progress.isUnsaved && hasReason(thrown, 'Conflict')) return { afterMs: asideMs };
  // a record that could not be written does not fail the sync: the next pass reads the old record and continues
  if (progress.isUnsaved && isPassing) throw thrown;
  if (isPassing && progress.isUnderWay) {
    await progress.report(`sync interrupted, retrying: ${message}`);
    return { afterMs: unreachableMs };
  }
  ctx.log.warn('operation failed', { code, message });
  return progress.end({ phase: 'Error', message });
}

/**
 * Hooks are distinguished by the second in which their operation began, so no operation begins in a second that a hook still in
 * the cluster is labelled with, whatever became of the hook's operation.
 */
function sharesSecondWithHook({ context }: OperateDeps, app: Application, state: OperationState): boolean {
  const before = app.status?.operationState;
  if (before && !isCompleted(before)) return false;
  try {
    const { cache } = context.clusters.resolve(app.spec.destination);
    return cache
      .trackedBy(ownerOf(app, context.namespace).instance)
      .some((live) => isHookOfSameSecond(live, state));
  } catch {
    return false; // reported when the operation begins
  }
}

async function advance(
  ctx: Ctx,
  deps: OperateDeps,
  app: Application,
  progress: OperationRecord,
): Promise<NextStep> {
  const { sync } = progress.state.operation;
  if (!sync) {
    // compat engine R-31: an invalid request is not a request to deploy
    const message =
      'invalid operation request: no operation specified; set operation.sync, or remove operation';
    return progress.end({ phase: 'Error', message });
  }
  const placed = resolveDestination(deps.context, app);
  if ('conditions' in placed) {
    return progress.end({
      phase: 'Error',
      message: placed.conditions.map(({ message }) => message).join('; '),
    });
  }
  const { destination } = placed;
  const gate = gateOperation(destination.project, app, progress.state, ctx.clock.now());
  if (!gate.allowed) return held(ctx, gate, progress);
  const how = { ...pinnedBy(app, progress.state), given: sync.manifests ?? [] };
  // an operation has sources of its own, and a rollback those of a time with other project rules
  const denied = how.sources.flatMap(({ repoURL }) => denySource(destination.project, repoURL) ?? []);
  if (denied.length > 0) return progress.end({ phase: 'Error', message: denied.join('; ') });
  const looking = compareApplication(
    ctx,
    deps.context,
    { app, destination },
    { ...how, resolve: 'fresh', hard: false },
  );
  const seen = await progress.during(looking);
  progress.pin(app, seen);

  const planned = await plan(ctx, deps.context, { app, destination, seen, state: progress.state });
  const take = takeDeps(deps, app, destination, planned);
  const { controller } = deps.context.settings();
  const deadline = deadlineOf(progress.state, controller.syncTimeoutMs);
  const moment = {
    now: ctx.clock.now(),
    terminating: progress.state.phase === 'Terminating',
    conditions: seen.comparison.conditions,
    waveDelayMs: controller.syncWaveDelayMs,
    ...(deadline && { deadline: printTime(deadline), isOverdue: deadline <= ctx.clock.now() }),
  };
  let step = nextStep(planned, moment);
  if (step.do === 'dry-run') {
    const { outcomes } = await executeStep(ctx, take, step);
    step = nextStep(planned, { ...moment, dryRun: outcomes });
  }
  const again = nextPassMs(progress.state, { now: ctx.clock.now(), timeoutMs: controller.syncTimeoutMs });
  return takeAndRecord(ctx, take, step, { progress, again, tally: tallyOf(planned) });
}

/**
 * compat engine R-35: the operation stays Running and reports why; it continues when a window opens or the windows change.
 */
async function held(
  ctx: Ctx,
  { why, opensAt }: { readonly why: string; readonly opensAt?: Date },
  progress: OperationRecord,
): Promise<NextStep> {
  if (progress.state.message !== why) ctx.log.info('sync blocked', { why });
  await progress.report(why);
  const left = opensAt ? opensAt.getTime() - ctx.clock.now().getTime() : backstopMs;
  return { afterMs: Math.min(left, backstopMs) };
}

/** Records the known results before the step and its results after: a crash repeats a step, but never loses a hook. */
async function takeAndRecord(
  ctx: Ctx,
  take: StepDeps,
  step: SyncStep,
  {
    progress,
    again,
    tally,
  }: { readonly progress: OperationRecord; readonly again: number; readonly tally: Tally },
): Promise<NextStep> {
  if (step.do === 'finish') return progress.end(step);
  const said = messageOf(step);
  const message = said && progress.state.phase === 'Running' ? withTally(said, tally) : said;
  await progress.recordResults(step.results, message);
  if (step.do === 'wait') return { afterMs: again };
  const onHang = (why: string): void =>
    progress.reportOnce(`waiting for the cluster, which is unresponsive: ${why}`);
  const { outcomes } = await executeStep(ctx, { ...take, onHang }, step);
  await progress.recordResults(record(step, outcomes), message);
  if (outcomes.some(({ leaves }) => leaves)) return { afterMs: leavingMs };
  return { afterMs: step.do === 'apply' && outcomes.every(({ ok }) => ok) ? step.pauseMs : 0, rests: true };
}

function messageOf(step: SyncStep): string | undefined {
  if (step.do === 'wait') return step.why;
  return step.do === 'dry-run' ? undefined : step.message;
}

type Planned = {
  readonly app: Application;
  readonly destination: AppDestination;
  readonly seen: ApplicationComparison;
  readonly state: OperationState;
};

/**
 * The tasks as they stand. A running resource that is missing from the cache is fetched from the API server before it counts
 * as deleted.
 */
async function plan(
  ctx: Ctx,
  context: ComparisonDeps,
  { app, destination, seen, state }: Planned,
): Promise<SyncPlan> {
  const { cluster, denies } = destination;
  const name = app.spec.destination.namespace;
  const namespace = name ? cluster.cache.get(keyFrom({ group: '', kind: 'Namespace', name })) : undefined;
  const input: PlanInput = {
    app,
    state,
    comparison: seen.comparison,
    revision: seen.generated.revisions[0] ?? '',
    discover: ({ group, kind }) => {
      const resource = cluster.cache.resource(group, kind);
      return resource ? { found: true, namespaced: resource.namespaced } : { found: false };
    },
    denies,
    ...(namespace && { namespace }),
    health: seen.health,
    ...respect(app, state, context, destination),
  };
  const first = planTasks(input);
  const absent = new Set<ResourceKey>();
  for (const { key, target } of unseen(first)) {
    const found = target && (await cluster.kube.find(ctx, refOf(target)));
    if (found) cluster.cache.put(found);
    else absent.add(key);
  }
  return absent.size > 0 ? planTasks({ ...input, absent }) : first;
}

/** compat engine D-30: fields that an ignore rule covers keep their live values. */
function respect(
  app: Application,
  state: OperationState,
  context: ComparisonDeps,
  { cluster }: AppDestination,
): Pick<PlanInput, 'respect'> {
  const options = state.operation.sync?.syncOptions ?? app.spec.syncPolicy?.syncOptions ?? [];
  if (!options.includes('RespectIgnoreDifferences=true')) return {};
  const { resources, controller } = context.settings();
  const rules = ignoreRules(app, resources, { timeoutMs: controller.jqTimeoutMs });
  const typeOf = customTypesIn(cluster);
  return { respect: (target, live) => respectIgnored(target, live, rules, typeOf) };
}

function takeDeps(
  { observe }: Pick<OperateDeps, 'observe'>,
  app: Application,
  { cluster, writer }: AppDestination,
  { options }: SyncPlan,
): StepDeps {
  const kube = writer();
  return { kube: yieldingClient(observe?.client(app, kube) ?? kube), cache: cluster.cache, options };
}
