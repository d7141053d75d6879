import type { Application, OperationState, ResourceResult } from '#base/model';
import { type Ctx, equal, FairleadError, joined } from '#base/std';
import type { ApplicationComparison } from '#control/comparison';
import { finish, heedTermination, historyAfter, isCompleted, pin } from '#engine';
import { type Applications, isTooLarge } from '../applications.ts';
import { type Mask, maskMessages, maskOf } from '../status/mask-secrets.ts';

/** When to go on with an operation; undefined when there is nothing to go on with. */
export type NextStep =
  | {
      readonly afterMs: number;
      readonly finished?: OperationState;
      /** Nothing that happens in the cluster is to cut the wait short (S-14). */
      readonly rests?: boolean;
    }
  | undefined;

type ProgressDeps = { readonly apps: Pick<Applications, 'saveOperation'> };

/** Longer than anybody waits without a word. */
const tellMs = 300;

/** The operation's record, written as it grows. */
export class OperationRecord {
  readonly #ctx: Ctx;
  readonly #apps: ProgressDeps['apps'];
  readonly #mask: Mask;
  #app: Application;
  #state: OperationState;
  #isUnsaved = false;
  #mentioned: Promise<void> | undefined;

  constructor(ctx: Ctx, { apps }: ProgressDeps, app: Application, state: OperationState) {
    this.#ctx = ctx;
    this.#apps = apps;
    this.#mask = maskOf(app);
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
    const either = joined(signal, enough.signal);
    const isSlow = clock.sleep(tellMs, either.signal).then(
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
      either.release();
    }
  }

  async save(): Promise<void> {
    if (equal(this.#app.status?.operationState, this.#state)) return;
    this.#app = await this.#write({ state: this.#state, isDone: false }).catch((error: unknown) => {
      if (!isTooLarge(error)) throw error;
      this.#isUnsaved = false; // it never will be
      throw new FairleadError('LimitExceeded', tooLarge, error);
    });
    // compat R-36: somebody may have asked for the end of it while a step was taken
    this.#state = heedTermination(this.#state, this.#app.status?.operationState);
  }

  /** compat R-34: what is being synced, decided once, on the first pass; written with what is known before the first step. */
  pin(app: Application, { generated }: ApplicationComparison): void {
    this.#state = pin(app, this.#state, generated.revisions);
  }

  async tell(message: string): Promise<void> {
    this.#state = { ...this.#state, message: this.#mask(message) };
    await this.save();
  }

  /** Once, while a step is being taken, which need not wait for it. What comes of the step is written after it. */
  mention(message: string): void {
    this.#mentioned ??= this.tell(message).catch(() => {});
  }

  async know(results: readonly ResourceResult[], message: string | undefined): Promise<void> {
    await this.#mentioned;
    this.#keep(results);
    if (message) this.#state = { ...this.#state, message: this.#mask(message) };
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
  }): Promise<NextStep> {
    const now = this.#ctx.clock.now();
    if (results) this.#keep(results);
    this.#state = finish(this.#state, { phase, message: this.#mask(message) }, now);
    const isDone = isCompleted(this.#state);
    const history = [...historyAfter(this.#app, this.#state)];
    const status = isDone && history.length > 0 ? { history } : {};
    await this.#write({ state: this.#state, status, isDone }).catch((error: unknown) => {
      if (!isTooLarge(error)) throw error;
      this.#state = thinned(this.#state);
      return this.#write({ state: this.#state, isDone });
    });
    const told = { phase: isDone ? this.#state.phase : phase, message: this.#state.message };
    this.#ctx.log.info(isDone ? 'operation finished' : 'operation is tried again', told);
    if (!isDone) return { afterMs: 0 };
    return { afterMs: 0, finished: this.#state };
  }

  #keep(results: readonly ResourceResult[]): void {
    const resources = maskMessages(this.#mask, results);
    this.#state = { ...this.#state, syncResult: { ...this.#state.syncResult, resources } };
  }

  async #write(next: Parameters<Applications['saveOperation']>[2]): Promise<Application> {
    this.#isUnsaved = true;
    const written = await this.#apps.saveOperation(this.#ctx, this.#app, next);
    this.#isUnsaved = false;
    return written;
  }
}

const tooLarge =
  'the record of this sync is larger than the API server accepts; split the application into several';
const mostFailures = 50;

/** What fits in any case: how it ended, and what went wrong. */
function thinned(state: OperationState): OperationState {
  const all = state.syncResult?.resources ?? [];
  const bad = all.filter(({ status, hookPhase }) => status === 'SyncFailed' || isBad.has(hookPhase));
  const resources = bad.slice(0, mostFailures);
  const message = `${state.message ?? ''}; of ${all.length} results ${resources.length} are kept: ${tooLarge}`;
  return { ...state, message, syncResult: { ...state.syncResult, resources } };
}

const isBad: ReadonlySet<unknown> = new Set(['Failed', 'Error']);
