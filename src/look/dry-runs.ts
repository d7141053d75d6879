import { type DryRun, fieldManager } from '#engine';
import type { LiveCluster } from '#live';
import type { KubeObject, ResourceKey } from '#model';
import { type Ctx, FairleadError } from '#std';

/** Enough to hide the way to the cluster, few enough not to be noticed there. */
const atOnce = 10;

/**
 * compat D-23: what the server would make of each target, or why it would not. Nothing is stored. Throws only when `ctx`
 * stops.
 */
export async function askServer(
  ctx: Ctx,
  { kube }: Pick<LiveCluster, 'kube'>,
  wanted: readonly DryRun[],
): Promise<Map<ResourceKey, KubeObject | FairleadError>> {
  const answers = new Map<ResourceKey, KubeObject | FairleadError>();
  const left = wanted.values();
  const worker = async (): Promise<void> => {
    for (const { key, target } of left) answers.set(key, await ask(ctx, kube, target));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, wanted.length) }, worker));
  return answers;
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
