import type { KubeObject, ResourceKey } from '#base/model';
import { atOnce, type Ctx, FairleadError } from '#base/std';
import type { LiveCluster } from '#control/live';
import { type DryRun, fieldManager } from '#engine';

/** Enough to hide the network latency, few enough not to load the cluster. */
const width = 10;

/**
 * compat engine D-23: the result of a server-side dry run for each target, or its error. Nothing is stored. Throws only when
 * `ctx` stops.
 */
export async function runDryRuns(
  ctx: Ctx,
  { kube }: Pick<LiveCluster, 'kube'>,
  wanted: readonly DryRun[],
): Promise<Map<ResourceKey, KubeObject | FairleadError>> {
  return new Map(
    await atOnce(width, wanted, async ({ key, target }) => [key, await dryRun(ctx, kube, target)] as const),
  );
}

async function dryRun(
  ctx: Ctx,
  kube: LiveCluster['kube'],
  target: KubeObject,
): Promise<KubeObject | FairleadError> {
  try {
    return await kube.apply(ctx, target, {
      fieldManager,
      force: true,
      dryRun: true,
      fieldValidation: 'Ignore',
    });
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    return FairleadError.from(thrown);
  }
}
