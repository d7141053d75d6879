import {
  bearsMarkOf,
  deadlineOf,
  finish,
  gateOperation,
  heedTermination,
  historyAfter,
  ignoreRules,
  isCompleted,
  nextPassMs,
  nextStep,
  ownerOf,
  type PlanInput,
  pin,
  pinnedBy,
  planTasks,
  record,
  respectIgnored,
  type Step,
  type SyncPlan,
  turn,
  unseen,
} from '#engine';
import { hasReason, refOf } from '#kube';
import { describedIn, type Look, look, type Place, placeOf, type World } from '#look';
import {
  type Application,
  keyFrom,
  type OperationState,
  printTime,
  type ResourceKey,
  type ResourceResult,
} from '#model';
import { type Ctx, equal, FairleadError } from '#std';
import type { Observer } from './observe.ts';
import type { Applications } from './store.ts';
import { type TakeDeps, takeStep } from './take.ts';

export type OperateDeps = {
  readonly world: World;
  readonly apps: Pick<Applications, 'get' | 'fetch' | 'saveOperation'>;
  readonly observe?: Pick<Observer, 'client'> | undefined;
};

/** When to go on with an operation; undefined when there is nothing to go on with. */
export type Onward =
  | {
      readonly afterMs: number;
      readonly finished?: OperationState;
      /** Nothing that happens in the cluster is to cut the wait short (S-14). */
      readonly rests?: boolean;
    }
  | undefined;

/** compat R-33: looked at again after this long even if nothing happens. */
const backstopMs = 30_000;

/** dev R-37: a sync that has begun to write waits while its cluster or repository is away: a retry would repeat hooks. */
const awayMs = 5_000;

/** Longer than anybody waits without a word. */
const tellMs = 300;

/** Somebody else moved the operation on: it is looked at again when that step is through. */
const asideMs = 1_000;

/** One step of one operation. compat R-34: one pass, one step, at the pinned revision. */
export async function operate(ctx: Ctx, deps: OperateDeps, key: string): Promise<Onward> {
  const app = await newest(ctx, deps, key);
  if (!app?.operation) return undefined;
  const { controller } = deps.world.settings();
  const timeoutMs = controller.syncTimeoutMs;
  const next = turn(app, app.operation, { now: ctx.clock.now(), timeoutMs });
  if (next.do === 'wait') return { afterMs: next.ms };
  if (isTwin(deps, app, next.state)) return { afterMs: 1000 - (ctx.clock.now().getTime() % 1000) };
  const progress = new Progress(ctx, deps, app, next.state);
  try {
    return await advance(ctx, deps, app, progress);
  } catch (thrown) {
    if (ctx.signal.aborted) throw thrown;
    return failed(ctx, progress, thrown);
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

/** What becomes of an operation whose step could not be taken. */
async function failed(ctx: Ctx, progress: Progress, thrown: unknown): Promise<Onward> {
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

async function advance(ctx: Ctx, deps: OperateDeps, app: Application, progress: Progress): Promise<Onward> {
  const placed = placeOf(deps.world, app);
  if ('conditions' in placed) {
    return progress.end({
      phase: 'Error',
      message: placed.conditions.map(({ message }) => message).join('; '),
    });
  }
  const { place } = placed;
  const gate = gateOperation(place.project, app, progress.state, ctx.clock.now());
  if (!gate.allowed) return held(ctx, gate, progress);
  const how = { ...pinnedBy(app, progress.state), resolve: 'fresh' as const, hard: false };
  const seen = await progress.during(look(ctx, deps.world, { app, place }, how));
  progress.pin(app, seen);

  const planned = await plan(ctx, deps.world, { app, place, seen, state: progress.state });
  const take = takeDeps(deps, app, place, planned);
  const { controller } = deps.world.settings();
  const deadline = deadlineOf(progress.state, controller.syncTimeoutMs);
  const moment = {
    terminating: progress.state.phase === 'Terminating',
    conditions: seen.comparison.conditions,
    waveDelayMs: controller.syncWaveDelayMs,
    ...(deadline && { deadline: printTime(deadline) }),
  };
  let step = nextStep(planned, moment);
  if (step.do === 'dry-run') {
    const { outcomes } = await takeStep(ctx, take, step);
    step = nextStep(planned, { ...moment, dryRun: outcomes });
  }
  const again = nextPassMs(progress.state, { now: ctx.clock.now(), timeoutMs: controller.syncTimeoutMs });
  return takeAndRecord(ctx, take, step, { progress, again });
}

/** compat R-35: the operation stays Running and says why; it goes on when the windows open, or somebody changes them. */
async function held(
  ctx: Ctx,
  { why, opensAt }: { readonly why: string; readonly opensAt?: Date },
  progress: Progress,
): Promise<Onward> {
  await progress.tell(why);
  const left = opensAt ? opensAt.getTime() - ctx.clock.now().getTime() : backstopMs;
  return { afterMs: Math.min(left, backstopMs) };
}

/** What is known is written before the step is taken, what came of it after: a crash costs a repetition, never a hook. */
async function takeAndRecord(
  ctx: Ctx,
  take: TakeDeps,
  step: Step,
  { progress, again }: { readonly progress: Progress; readonly again: number },
): Promise<Onward> {
  if (step.do === 'finish') return progress.end(step);
  await progress.know(step.results, messageOf(step));
  if (step.do === 'wait') return { afterMs: again };
  const { outcomes } = await takeStep(ctx, take, step);
  await progress.know(record(step, outcomes), messageOf(step));
  return { afterMs: step.do === 'apply' && outcomes.every(({ ok }) => ok) ? step.pauseMs : 0, rests: true };
}

function messageOf(step: Step): string | undefined {
  if (step.do === 'wait') return step.why;
  return step.do === 'dry-run' ? undefined : step.message;
}

type Planned = {
  readonly app: Application;
  readonly place: Place;
  readonly seen: Look;
  readonly state: OperationState;
};

/** The tasks as they stand. What runs and is not in sight is looked for in the cluster before it is believed gone. */
async function plan(ctx: Ctx, world: World, { app, place, seen, state }: Planned): Promise<SyncPlan> {
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
  world: World,
  { cluster }: Place,
): Pick<PlanInput, 'respect'> {
  const options = state.operation.sync?.syncOptions ?? app.spec.syncPolicy?.syncOptions ?? [];
  if (!options.includes('RespectIgnoreDifferences=true')) return {};
  const { resources, controller } = world.settings();
  const rules = ignoreRules(app, resources, { timeoutMs: controller.jqTimeoutMs });
  const typeOf = describedIn(cluster);
  return { respect: (target, live) => respectIgnored(target, live, rules, typeOf) };
}

function takeDeps(
  { observe }: Pick<OperateDeps, 'observe'>,
  app: Application,
  { cluster, writer }: Place,
  { options }: SyncPlan,
): TakeDeps {
  const kube = writer();
  return { kube: observe?.client(app, kube) ?? kube, cache: cluster.cache, options };
}

/** The operation's record, written as it grows. */
class Progress {
  readonly #ctx: Ctx;
  readonly #apps: OperateDeps['apps'];
  #app: Application;
  #state: OperationState;
  #isUnsaved = false;

  constructor(ctx: Ctx, { apps }: OperateDeps, app: Application, state: OperationState) {
    this.#ctx = ctx;
    this.#apps = apps;
    this.#app = app;
    this.#state = state;
  }

  get state(): OperationState {
    return this.#state;
  }

  /** The last thing that was to be written is not, or nobody knows. */
  get isUnsaved(): boolean {
    return this.#isUnsaved;
  }

  /** Something was written to the cluster, and nobody has asked for the end of it. */
  get isUnderWay(): boolean {
    const { phase, syncResult } = this.#state;
    return phase === 'Running' && (syncResult?.resources?.length ?? 0) > 0;
  }

  /**
   * That it has begun is written with the first step, before anything is written to the cluster: a crash finds it begun or
   * not begun, never half done. Whoever has to wait for the step is told at once.
   */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    const { clock, signal } = this.#ctx;
    const enough = new AbortController();
    const isSlow = clock.sleep(tellMs, AbortSignal.any([signal, enough.signal])).then(
      () => true,
      () => false,
    );
    const isDone = work.then(
      () => false,
      () => false,
    );
    try {
      if (await Promise.race([isDone, isSlow])) await this.save();
      return await work;
    } finally {
      enough.abort();
    }
  }

  async save(): Promise<void> {
    if (equal(this.#app.status?.operationState, this.#state)) return;
    this.#isUnsaved = true;
    this.#app = await this.#apps.saveOperation(this.#ctx, this.#app, { state: this.#state, isDone: false });
    this.#isUnsaved = false;
    // compat R-36: somebody may have asked for the end of it while a step was taken
    this.#state = heedTermination(this.#state, this.#app.status?.operationState);
  }

  /** compat R-34: what is being synced, decided once, on the first pass; written with what is known before the first step. */
  pin(app: Application, { generated }: Look): void {
    this.#state = pin(app, this.#state, generated.revisions);
  }

  async tell(message: string): Promise<void> {
    this.#state = { ...this.#state, message };
    await this.save();
  }

  async know(results: readonly ResourceResult[], message: string | undefined): Promise<void> {
    const syncResult = { ...this.#state.syncResult, resources: [...results] };
    this.#state = { ...this.#state, syncResult, ...(message && { message }) };
    await this.save();
  }

  /** The end of this attempt: of the whole operation, or of one that will be tried again. */
  async end({
    phase,
    message,
    results,
  }: {
    phase: 'Succeeded' | 'Failed' | 'Error';
    message: string;
    /** What became of each resource, where that is known now; it is written with the end. */
    results?: readonly ResourceResult[];
  }): Promise<Onward> {
    const now = this.#ctx.clock.now();
    if (results)
      this.#state = { ...this.#state, syncResult: { ...this.#state.syncResult, resources: [...results] } };
    this.#state = finish(this.#state, { phase, message }, now);
    const isDone = isCompleted(this.#state);
    const history = [...historyAfter(this.#app, this.#state)];
    const status = isDone && history.length > 0 ? { history } : {};
    this.#isUnsaved = true;
    await this.#apps.saveOperation(this.#ctx, this.#app, { state: this.#state, status, isDone });
    this.#isUnsaved = false;
    if (!isDone) return { afterMs: 0 };
    this.#ctx.log.info('operation finished', { phase: this.#state.phase, message: this.#state.message });
    return { afterMs: 0, finished: this.#state };
  }
}
