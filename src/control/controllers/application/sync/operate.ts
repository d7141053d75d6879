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
  bearsMarkOf,
  deadlineOf,
  denySource,
  gateOperation,
  ignoreRules,
  isCompleted,
  nextPassMs,
  nextStep,
  ownerOf,
  type PlanInput,
  pinnedBy,
  planTasks,
  record,
  respectIgnored,
  type SyncPlan,
  type SyncStep,
  tallyOf,
  turn,
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
  readonly world: ComparisonDeps;
  readonly apps: Pick<Applications, 'get' | 'fetch' | 'saveOperation'>;
  readonly observe?: Pick<Observer, 'client'> | undefined;
};

/** compat R-33: looked at again after this long even if nothing happens. */
const backstopMs = 30_000;

/** dev R-37: a sync that has begun to write waits while its cluster or repository is away: a retry would repeat hooks. */
const awayMs = 5_000;

/** What was deleted to be made anew is looked at again after this long, or as soon as it is gone. */
const leavingMs = 200;

/** Somebody else moved the operation on: it is looked at again when that step is through. */
const asideMs = 1_000;

/** One step of one operation. compat R-34: one pass, one step, at the pinned revision. */
export async function operate(ctx: Ctx, deps: OperateDeps, key: string): Promise<NextStep> {
  const app = await newest(ctx, deps, key);
  if (!app?.operation) return app && withdrawn(ctx, deps, app);
  const { controller } = deps.world.settings();
  const timeoutMs = controller.syncTimeoutMs;
  const next = turn(app, app.operation, { now: ctx.clock.now(), timeoutMs });
  if (next.do === 'wait') return { afterMs: next.ms };
  if (isTwin(deps, app, next.state)) return { afterMs: 1000 - (ctx.clock.now().getTime() % 1000) };
  const progress = new OperationRecord(ctx, deps, app, next.state);
  try {
    return await advance(ctx, deps, app, progress);
  } catch (thrown) {
    if (ctx.signal.aborted) throw thrown;
    return failed(ctx, progress, withKnownRevision(app, progress.state, thrown));
  }
}

/**
 * compat R-32: what a pass acts on is the newest. The first one need not ask for it: before it writes anything to the
 * cluster it writes itself down, under the version it read, and an older one is refused.
 */
async function newest(ctx: Ctx, { apps }: OperateDeps, key: string): Promise<Application | undefined> {
  const held = apps.get(key);
  const state = held?.status?.operationState;
  const isFirst = held?.operation !== undefined && (!state || isCompleted(state));
  return isFirst ? held : apps.fetch(ctx, key);
}

/** dev R-32: a record of something that runs is false when nothing does; Argo CD leaves it so. */
async function withdrawn(ctx: Ctx, deps: OperateDeps, app: Application): Promise<NextStep> {
  const state = app.status?.operationState;
  if (!state || isCompleted(state)) return undefined;
  const progress = new OperationRecord(ctx, deps, app, { ...state, phase: 'Terminating' }); // nothing is tried again
  const message = 'the operation was taken away before it ended; what it had begun is left as it is';
  return progress.end({ phase: 'Failed', message });
}

/** Where the repository is unavailable and the operation names no revision: that nothing was applied, and what can be. */
function withKnownRevision(app: Application, state: OperationState, thrown: unknown): unknown {
  const { revision } = app.status?.sync ?? {};
  const isOpen = pinnedBy(app, state).revisions === undefined;
  if (!isSourceUnavailable(thrown) || !isOpen || !revision) return thrown;
  const { code, message } = FairleadError.from(thrown);
  const hint = `nothing was applied; sync to revision ${revision} to apply the last known one`;
  return new FairleadError(code, `${message}; ${hint}`, thrown);
}

/** What becomes of an operation whose step could not be taken. */
async function failed(ctx: Ctx, progress: OperationRecord, thrown: unknown): Promise<NextStep> {
  const { message, code } = FairleadError.from(thrown);
  const isPassing = code === 'Unavailable';
  if (progress.isUnsaved && hasReason(thrown, 'Conflict')) return { afterMs: asideMs };
  // what could not be written down is no failure of the sync: the next pass finds it as it was and goes on
  if (progress.isUnsaved && isPassing) throw thrown;
  if (isPassing && progress.isUnderWay) {
    await progress.tell(`waiting to go on: ${message}`);
    return { afterMs: awayMs };
  }
  ctx.log.warn('operation failed', { code, message });
  return progress.end({ phase: 'Error', message });
}

/**
 * Hooks are told apart by the second in which their operation began, so no operation begins in a second whose mark some
 * hook in the cluster still bears, whatever became of the operation that made it.
 */
function isTwin({ world }: OperateDeps, app: Application, state: OperationState): boolean {
  const before = app.status?.operationState;
  if (before && !isCompleted(before)) return false;
  try {
    const { cache } = world.clusters.resolve(app.spec.destination);
    return cache.trackedBy(ownerOf(app, world.namespace).instance).some((live) => bearsMarkOf(live, state));
  } catch {
    return false; // told when the operation begins
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
    // compat R-31: a bad request is nobody's wish to deploy
    const message =
      'invalid operation request: no operation specified; set operation.sync, or remove operation';
    return progress.end({ phase: 'Error', message });
  }
  const placed = resolveDestination(deps.world, app);
  if ('conditions' in placed) {
    return progress.end({
      phase: 'Error',
      message: placed.conditions.map(({ message }) => message).join('; '),
    });
  }
  const { place } = placed;
  const gate = gateOperation(place.project, app, progress.state, ctx.clock.now());
  if (!gate.allowed) return held(ctx, gate, progress);
  const how = { ...pinnedBy(app, progress.state), given: sync.manifests ?? [] };
  // an operation brings sources of its own, and a rollback those of a time with other rules
  const denied = how.sources.flatMap(({ repoURL }) => denySource(place.project, repoURL) ?? []);
  if (denied.length > 0) return progress.end({ phase: 'Error', message: denied.join('; ') });
  const looking = compareApplication(
    ctx,
    deps.world,
    { app, place },
    { ...how, resolve: 'fresh', hard: false },
  );
  const seen = await progress.during(looking);
  progress.pin(app, seen);

  const planned = await plan(ctx, deps.world, { app, place, seen, state: progress.state });
  const take = takeDeps(deps, app, place, planned);
  const { controller } = deps.world.settings();
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

/** compat R-35: the operation stays Running and says why; it goes on when the windows open, or somebody changes them. */
async function held(
  ctx: Ctx,
  { why, opensAt }: { readonly why: string; readonly opensAt?: Date },
  progress: OperationRecord,
): Promise<NextStep> {
  await progress.tell(why);
  const left = opensAt ? opensAt.getTime() - ctx.clock.now().getTime() : backstopMs;
  return { afterMs: Math.min(left, backstopMs) };
}

/** What is known is written before the step is taken, what came of it after: a crash costs a repetition, never a hook. */
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
  await progress.know(step.results, message);
  if (step.do === 'wait') return { afterMs: again };
  const onHang = (why: string): void =>
    progress.mention(`waiting for the cluster, which does not answer: ${why}`);
  const { outcomes } = await executeStep(ctx, { ...take, onHang }, step);
  await progress.know(record(step, outcomes), message);
  if (outcomes.some(({ leaves }) => leaves)) return { afterMs: leavingMs };
  return { afterMs: step.do === 'apply' && outcomes.every(({ ok }) => ok) ? step.pauseMs : 0, rests: true };
}

function messageOf(step: SyncStep): string | undefined {
  if (step.do === 'wait') return step.why;
  return step.do === 'dry-run' ? undefined : step.message;
}

type Planned = {
  readonly app: Application;
  readonly place: AppDestination;
  readonly seen: ApplicationComparison;
  readonly state: OperationState;
};

/** The tasks as they stand. What runs and is not in sight is looked for in the cluster before it is believed gone. */
async function plan(
  ctx: Ctx,
  world: ComparisonDeps,
  { app, place, seen, state }: Planned,
): Promise<SyncPlan> {
  const { cluster, denies } = place;
  const destination = app.spec.destination.namespace;
  const namespace = destination
    ? cluster.cache.get(keyFrom({ group: '', kind: 'Namespace', name: destination }))
    : undefined;
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
    ...respect(app, state, world, place),
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

/** compat D-30: what an ignore rule covers is left as the cluster has it. */
function respect(
  app: Application,
  state: OperationState,
  world: ComparisonDeps,
  { cluster }: AppDestination,
): Pick<PlanInput, 'respect'> {
  const options = state.operation.sync?.syncOptions ?? app.spec.syncPolicy?.syncOptions ?? [];
  if (!options.includes('RespectIgnoreDifferences=true')) return {};
  const { resources, controller } = world.settings();
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
