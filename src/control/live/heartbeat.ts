import { type Ctx, FairleadError, onAbort } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { ClusterCache } from './cluster-cache.ts';

/** The interval of heartbeats, and the shorter one while the cluster is unreachable. */
const [everyMs, soonerMs] = [15_000, 5_000];
/** The timeout of a heartbeat request. */
const answerMs = 8_000;

/**
 * Reports to `cache` whether its cluster responds at all, until `ctx` stops. A watch cannot distinguish a quiet cluster from
 * a dead connection; it would wait for minutes.
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

/** Why there was no response; undefined: there was one, be it a refusal. */
async function answered(ctx: Ctx, kube: Pick<KubeClient, 'raw'>): Promise<FairleadError | undefined> {
  const stop = new AbortController();
  const forget = onAbort(ctx.signal, () => stop.abort(ctx.signal.reason));
  const late = ctx.clock.sleep(answerMs, stop.signal).then(
    () => new FairleadError('Unavailable', `no answer within ${answerMs / 1000} s`),
    () => undefined,
  );
  try {
    const requested = kube.raw({ ...ctx, signal: stop.signal }, { method: 'GET', path: '/version' });
    requested.catch(() => {}); // it may fail after the timeout
    return await Promise.race([requested.then(() => undefined), late]);
  } catch (thrown) {
    const error = FairleadError.from(thrown);
    return error.code === 'Unavailable' ? error : undefined;
  } finally {
    forget();
    stop.abort();
  }
}
