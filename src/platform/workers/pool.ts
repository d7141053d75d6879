import { type Ctx, FairleadError, realClock } from '#base/std';
import type { WorkerCall } from './wire.ts';
import { WorkerProcess } from './worker-process.ts';
import { type WorkerSlot, WorkerSlots } from './worker-slots.ts';

/** The shape of a worker module's export `functions`. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>;

/** `ms` bounds one run in real time, start-up and waiting excluded; `memoryMb` the heap of the worker it runs in. */
type WorkerLimits = { readonly ms: number; readonly memoryMb: number };

export type PoolOptions = {
  /** Exports `functions`. Loaded by each worker, never by this process. */
  readonly module: URL | string;
  /** At most this many workers. */
  readonly size: number;
};

/** Runs named functions on other cores. */
export type Pool<F extends Functions> = {
  /** Rejects with what the function threw, code intact; with `LimitExceeded`; or with the signal's reason. */
  run<N extends keyof F & string>(
    ctx: Ctx,
    name: N,
    args: Readonly<Parameters<F[N]>>,
    limits: WorkerLimits,
  ): Promise<Awaited<ReturnType<F[N]>>>;
  /** Ends every worker and returns when they have exited. Runs in progress or queued reject. */
  close(): Promise<void>;
};

/** Users cannot influence how our modules load; this only keeps a broken machine from waiting for ever. */
const loadMs = 60_000;

/** Starts nothing yet: a worker is started when a run needs it, and kept for the next. */
export function createPool<F extends Functions>({ module, size }: PoolOptions): Pool<F> {
  const slots = new WorkerSlots(size);
  const closed = new FairleadError('Unavailable', 'the worker pool is closed');
  let isClosed = false;

  async function workerOn(ctx: Ctx, slot: WorkerSlot, memoryMb: number): Promise<WorkerProcess> {
    const old = slot.worker;
    if (old?.isFit && old.memoryMb === memoryMb) return old;
    old?.kill(closed);
    await old?.gone;
    if (isClosed) throw closed;
    const worker = new WorkerProcess({ module, memoryMb });
    slot.worker = worker;
    const late = () => new FairleadError('Internal', `a worker did not start within ${loadMs} ms`);
    try {
      await supervise(ctx, worker, { ms: loadMs, late }, () => worker.ready);
    } catch (error) {
      worker.kill(error);
      throw error;
    }
    return worker;
  }

  async function runOn(ctx: Ctx, slot: WorkerSlot, call: WorkerCall, limits: WorkerLimits): Promise<unknown> {
    const worker = await workerOn(ctx, slot, limits.memoryMb);
    const late = () => new FairleadError('LimitExceeded', `${call.name} took longer than ${limits.ms} ms`);
    return supervise(ctx, worker, { ms: limits.ms, late }, () => worker.call(call.name, call.args));
  }

  return {
    async run(ctx, name, args, limits) {
      if (isClosed) throw closed;
      const slot = await slots.take(ctx.signal, (free) => fitness(free, limits.memoryMb));
      try {
        // the worker runs the very function whose type F declares
        return (await runOn(ctx, slot, { name, args }, limits)) as never;
      } finally {
        slots.free(slot);
      }
    },
    async close() {
      isClosed = true;
      slots.rejectWaiting(closed);
      await Promise.all(
        slots.all.map(async ({ worker }) => {
          worker?.kill(closed);
          await worker?.gone;
        }),
      );
    },
  };
}

/** Prefers a worker that can take the run as it is, then an empty slot, then one whose worker must be replaced. */
function fitness({ worker }: WorkerSlot, memoryMb: number): number {
  if (!worker?.isFit) return 1;
  return worker.memoryMb === memoryMb ? 2 : 0;
}

/** Waits for the worker; kills it when time is up or `ctx` stops. While it works it keeps this process alive. */
async function supervise<T>(
  ctx: Ctx,
  worker: WorkerProcess,
  limit: { readonly ms: number; late(): FairleadError },
  start: () => Promise<T>,
): Promise<T> {
  ctx.signal.throwIfAborted();
  const over = new AbortController();
  const stop = () => worker.kill(ctx.signal.reason);
  const expiry = realClock.sleep(limit.ms, over.signal).then(
    () => worker.kill(limit.late()),
    () => {}, // finished in time
  );
  ctx.signal.addEventListener('abort', stop);
  worker.keep(true);
  try {
    return await start();
  } finally {
    worker.keep(false);
    ctx.signal.removeEventListener('abort', stop);
    over.abort('over'); // a reason of our own: creating the default one costs more than a small call
    await expiry;
  }
}
