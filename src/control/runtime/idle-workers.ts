type Waiter<T> = { readonly signal: AbortSignal; leave(with_: T | undefined): void };

/** Idle workers, longest wait served first. Holds one abort listener per signal, however many wait on it. */
export class IdleWorkers<T> {
  readonly #waiters = new Set<Waiter<T>>();
  readonly #watched = new Map<AbortSignal, { count: number; stop(): void }>();

  /** Resolves to undefined when the signal aborts or all workers are dismissed. */
  wait(signal: AbortSignal): Promise<T | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#waiters.add({ signal, leave: resolve });
      this.#watch(signal);
    });
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  /** False when no worker waits. */
  serve(item: T): boolean {
    const [waiter] = this.#waiters;
    if (!waiter) return false;
    this.#dismiss(waiter, item);
    return true;
  }

  dismissAll(): void {
    for (const waiter of this.#waiters) this.#dismiss(waiter, undefined);
  }

  #dismiss(waiter: Waiter<T>, item: T | undefined): void {
    this.#waiters.delete(waiter);
    this.#unwatch(waiter.signal);
    waiter.leave(item);
  }

  #watch(signal: AbortSignal): void {
    const watched = this.#watched.get(signal);
    if (watched) {
      watched.count += 1;
      return;
    }
    const stop = () => {
      for (const waiter of this.#waiters) if (waiter.signal === signal) this.#dismiss(waiter, undefined);
    };
    this.#watched.set(signal, { count: 1, stop });
    signal.addEventListener('abort', stop);
  }

  #unwatch(signal: AbortSignal): void {
    const watched = this.#watched.get(signal);
    if (!watched) return;
    watched.count -= 1;
    if (watched.count > 0) return;
    this.#watched.delete(signal);
    signal.removeEventListener('abort', watched.stop);
  }
}
