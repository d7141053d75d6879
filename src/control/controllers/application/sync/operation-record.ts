import type { Application, OperationState, ResourceResult } from '#base/model';
import { type Ctx, equal, FairleadError, joined } from '#base/std';
import type { ApplicationComparison } from '#control/comparison';
import { finish, heedTermination, historyAfter, isCompleted, pin } from '#engine';
import { type Applications, isTooLarge } from '../applications.ts';
import { type Mask, maskMessages, maskOf } from '../status/mask-secrets.ts';

/** When to continue an operation; undefined when there is nothing to continue. */
export type NextStep =
  | {
      readonly afterMs: number;
      readonly finished?: OperationState;
      /** No cluster event ends the wait early (engine S-14). */
      readonly rests?: boolean;
    }
  | undefined;

type ProgressDeps = { readonly apps: Pick<Applications, 'saveOperation'> };

/** A step that takes longer than this is recorded while it runs. */
const reportMs = 300;

/** The operation's record, written as it grows. */
export class OperationRecord {
  readonly #ctx: Ctx;
  readonly #apps: ProgressDeps['apps'];
  readonly #mask: Mask;
  #app: Application;
  #state: OperationState;
  #isUnsaved = false;
  #reporting: Promise<void> | undefined;

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

  /** The last write of the record failed, or its outcome is unknown. */
  get isUnsaved(): boolean {
    return this.#isUnsaved;
  }

  /** Something was written to the cluster, and no termination is requested. */
  get isUnderWay(): boolean {
    const { phase, syncResult } = this.#state;
    return phase === 'Running' && (syncResult?.resources?.length ?? 0) > 0;
  }

  /**
   * The start is recorded with the first step, before anything is written to the cluster: after a crash the operation has
   * started or not, never half. If the step is slow, the start is recorded at once.
   */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    const { clock, signal } = this.#ctx;
    const enough = new AbortController();
    const either = joined(signal, enough.signal);
    const isSlow = clock.sleep(reportMs, either.signal).then(
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
      this.#isUnsaved = false; // it never can be
      throw new FairleadError('LimitExceeded', tooLarge, error);
    });
    // compat engine R-36: a client may have requested termination during the step
    this.#state = heedTermination(this.#state, this.#app.status?.operationState);
  }

  /** compat engine R-34: pins the revisions once, on the first pass; written with the results known before the first step. */
  pin(app: Application, { generated }: ApplicationComparison): void {
    this.#state = pin(app, this.#state, generated.revisions);
  }

  async report(message: string): Promise<void> {
    this.#state = { ...this.#state, message: this.#mask(message) };
    await this.save();
  }

  /** Records a message once, without delaying the step that is running. The step's results are written after it. */
  reportOnce(message: string): void {
    this.#reporting ??= this.report(message).catch(() => {});
  }

  async recordResults(results: readonly ResourceResult[], message: string | undefined): Promise<void> {
    await this.#reporting;
    this.#keep(results);
    if (message) this.#state = { ...this.#state, message: this.#mask(message) };
    await this.save();
  }

  /** The end of this attempt: of the whole operation, or of an attempt that will be retried. */
  async end({
    phase,
    message,
    results,
  }: {
    phase: 'Succeeded' | 'Failed' | 'Error';
    message: string;
    /** The result of each resource, where known; written with the end. */
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
    const reported = { phase: isDone ? this.#state.phase : phase, message: this.#state.message };
    this.#ctx.log.info(isDone ? 'operation finished' : 'operation failed: a retry follows', reported);
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

/** The part that fits in any case: the phase and the failed resources. */
function thinned(state: OperationState): OperationState {
  const all = state.syncResult?.resources ?? [];
  const bad = all.filter(({ status, hookPhase }) => status === 'SyncFailed' || isBad.has(hookPhase));
  const resources = bad.slice(0, mostFailures);
  const message = `${state.message ?? ''}; of ${all.length} results ${resources.length} are kept: ${tooLarge}`;
  return { ...state, message, syncResult: { ...state.syncResult, resources } };
}

const isBad: ReadonlySet<unknown> = new Set(['Failed', 'Error']);
