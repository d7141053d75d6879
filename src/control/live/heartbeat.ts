import { type Ctx, FairleadError, onAbort } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { ClusterCache } from './cluster-cache.ts';

/** A cluster is asked this often whether it is there; sooner while it is not. */
const [everyMs, soonerMs] = [15_000, 5_000];
/** An answer to the smallest question that takes longer than this does not come. */
const answerMs = 8_000;

/**
 * Reports to `cache` whether its cluster answers at all, until `ctx` stops. A watch cannot tell a quiet cluster from a connection
 * through which nothing comes any more; it would wait for minutes.
 */
export async function beat(
  ctx: Ctx,
  { kube, cache }: { readonly kube: Pick<KubeClient, 'raw'>; readonly cache: Pick<ClusterCache, 'heard'> },
): Promise<void> {
  let pauseMs = everyMs;
  while (!ctx.signal.aborted) {
    await ctx.clock.sleep(pauseMs, ctx.signal).catch(() => {});
    if (ctx.signal.aborted) return;
    const error = await answered(ctx, kube);
    if (ctx.signal.aborted) return;
    cache.heard(ctx, error);
    pauseMs = error ? soonerMs : everyMs;
  }
}

/** Why there was no answer; undefined: there was one, be it a refusal. */
async function answered(ctx: Ctx, kube: Pick<KubeClient, 'raw'>): Promise<FairleadError | undefined> {
  const stop = new AbortController();
  const forget = onAbort(ctx.signal, () => stop.abort(ctx.signal.reason));
  const late = ctx.clock.sleep(answerMs, stop.signal).then(
    () => new FairleadError('Unavailable', `no answer within ${answerMs / 1000} s`),
    () => undefined,
  );
  try {
    const asked = kube.raw({ ...ctx, signal: stop.signal }, { method: 'GET', path: '/version' });
    asked.catch(() => {}); // it may fail after it was given up
    return await Promise.race([asked.then(() => undefined), late]);
  } catch (thrown) {
    const error = FairleadError.from(thrown);
    return error.code === 'Unavailable' ? error : undefined;
  } finally {
    forget();
    stop.abort();
  }
}
