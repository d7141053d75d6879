import type { Ctx, FairleadError } from '#base/std';

/** Closed until something is known for the first time; open or broken after. */
export class ReadyGate {
  #state: 'closed' | 'open' | FairleadError = 'closed';
  readonly #waiting = new Set<() => void>();

  open(): void {
    this.#become('open');
  }

  /** Those who wait are told why; the gate may still open later. */
  fail(error: FairleadError): void {
    if (this.#state !== 'open') this.#become(error);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Nothing is known yet, neither good nor bad. */
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
