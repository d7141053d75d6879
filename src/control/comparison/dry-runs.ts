import type { KubeObject, ResourceKey } from '#base/model';
import { atOnce, type Ctx, FairleadError } from '#base/std';
import type { LiveCluster } from '#control/live';
import { type DryRun, fieldManager } from '#engine';

/** Enough to hide the way to the cluster, few enough not to be noticed there. */
const width = 10;

/**
 * compat D-23: what the server would make of each target, or why it would not. Nothing is stored. Throws only when `ctx`
 * stops.
 */
export async function runDryRuns(
  ctx: Ctx,
  { kube }: Pick<LiveCluster, 'kube'>,
  wanted: readonly DryRun[],
): Promise<Map<ResourceKey, KubeObject | FairleadError>> {
  return new Map(
    await atOnce(width, wanted, async ({ key, target }) => [key, await ask(ctx, kube, target)] as const),
  );
}

async function ask(
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
