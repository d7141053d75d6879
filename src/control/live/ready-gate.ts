import type { Ctx, FairleadError } from '#base/std';

/** Closed until a first result; open or failed after. */
export class ReadyGate {
  #state: 'closed' | 'open' | FairleadError = 'closed';
  readonly #waiting = new Set<() => void>();

  open(): void {
    this.#become('open');
  }

  /** Waiting callers get the error; the gate may still open later. */
  fail(error: FairleadError): void {
    if (this.#state !== 'open') this.#become(error);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** There is no result yet, neither success nor failure. */
  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Resolves when open; throws the failure, or the reason when `ctx` stops first. */
  async pass(ctx: Ctx): Promise<void> {
    while (this.#state === 'closed') {
      ctx.signal.throwIfAborted();
      await this.#change(ctx);
    }
    if (this.#state !== 'open') throw this.#state;
  }

  #become(state: 'open' | FairleadError): void {
    this.#state = state;
    for (const wake of [...this.#waiting]) wake();
  }

  #change(ctx: Ctx): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        ctx.signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      ctx.signal.addEventListener('abort', wake);
    });
  }
}
