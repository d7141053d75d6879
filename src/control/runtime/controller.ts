import { setImmediate as letIoIn } from 'node:timers/promises';
import { type Ctx, FairleadError, runAll } from '#base/std';
import { FailureLog } from './failure-log.ts';
import type { WorkQueue } from './work-queue.ts';

/** A pass may request another pass after a while even if nothing changes. */
export type Requeue = { readonly requeueAfter: number };

/** One pass over one key. Safe to run at any moment, any number of times; throws the error that stopped it. */
export type Reconcile<Key extends string = string> = (
  ctx: Ctx,
  key: Key,
) => Promise<Requeue | undefined> | Promise<void>;

/** Serves the queue until `ctx` stops, or until it is shut down and empty. Returns when the last pass has ended. */
export async function runWorkers<Key extends string>(
  ctx: Ctx,
  queue: WorkQueue<Key>,
  reconcile: Reconcile<Key>,
  options: { readonly workers: number },
): Promise<void> {
  const serving: Serving<Key> = { queue, reconcile, failures: new FailureLog<Key>() };
  const workers = Array.from({ length: options.workers }, () => (inner: Ctx) => work(inner, serving));
  await runAll(ctx, [(inner) => queue.keepTime(inner), ...workers]);
}

type Serving<Key extends string> = {
  readonly queue: WorkQueue<Key>;
  readonly reconcile: Reconcile<Key>;
  readonly failures: FailureLog<Key>;
};

async function work<Key extends string>(ctx: Ctx, serving: Serving<Key>): Promise<void> {
  const { queue } = serving;
  for (let key = await queue.next(ctx); key !== undefined; key = await queue.next(ctx)) {
    try {
      await pass(ctx, serving, key);
    } finally {
      queue.done(key);
    }
    // a long queue of passes that never wait would otherwise starve requests and watch events
    await letIoIn();
  }
}

/** The only code that classifies a failure: a terminal error waits for a change, any other is retried. */
async function pass<Key extends string>(
  ctx: Ctx,
  { queue, reconcile, failures }: Serving<Key>,
  key: Key,
): Promise<void> {
  const keyed = { ...ctx, log: ctx.log.with({ key }) };
  try {
    const again = await reconcile(keyed, key);
    queue.forget(key);
    failures.succeeded(keyed, key);
    if (again) queue.addAfter(key, again.requeueAfter);
  } catch (thrown) {
    if (ctx.signal.aborted) {
      queue.add(key, 'bulk'); // cut short, not failed: the next worker of this queue must run a whole pass
      return;
    }
    const error = FairleadError.from(thrown);
    if (error.terminal) queue.forget(key);
    else queue.retry(key);
    failures.failed(keyed, key, error);
  }
}
