import type { Ctx } from './ctx.ts';
import { joined } from './joined.ts';

/**
 * Named tasks that start and stop while their owner runs. No task outlives `run`: when `ctx` stops, so does
 * every task, and `run` returns when the last one has.
 */
export class Tasks {
  readonly #running = new Map<string, { stop: AbortController; done: Promise<void> }>();
  #ctx: Ctx | undefined;

  has(name: string): boolean {
    return this.#running.has(name);
  }

  names(): string[] {
    return [...this.#running.keys()];
  }

  /** Starts a task under this name unless one runs already. Its failure is logged: it must handle its own. */
  start(name: string, work: (ctx: Ctx) => Promise<void>): void {
    const ctx = this.#ctx;
    if (!ctx || ctx.signal.aborted || this.#running.has(name)) return;
    const stop = new AbortController();
    const { signal, release } = joined(ctx.signal, stop.signal);
    const inner = { ...ctx, signal };
    const done = work(inner)
      .catch((error: unknown) => {
        if (!inner.signal.aborted) ctx.log.error('task failed', { task: name, error });
      })
      .finally(() => {
        release();
        this.#running.delete(name);
      });
    this.#running.set(name, { stop, done });
  }

  async stop(name: string): Promise<void> {
    const task = this.#running.get(name);
    task?.stop.abort();
    await task?.done;
  }

  /** Opens for tasks, runs `body`, and returns when both it and all tasks have ended. */
  async run(ctx: Ctx, body: (ctx: Ctx) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const { signal, release } = joined(ctx.signal, stop.signal);
    this.#ctx = { ...ctx, signal };
    try {
      await body(this.#ctx);
    } finally {
      stop.abort();
      await Promise.all([...this.#running.values()].map((task) => task.done));
      release();
    }
  }
}
