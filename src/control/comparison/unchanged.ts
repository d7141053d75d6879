import type { Application } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';
import { requestFor } from './request.ts';

/**
 * Whether the sources say now, object for object, what they said at the revisions on record: what a push did not touch.
 * `since` is when we heard of the push; what is known of the repository must be younger. Costs two questions to the render
 * cache where nothing changed, and the render that is due anyway where something did. Throws what keeps it from knowing.
 */
export async function isUnchanged(
  ctx: Ctx,
  world: ComparisonDeps,
  { app, place }: { readonly app: Application; readonly place: AppDestination },
  { revisions, since }: { readonly revisions: readonly string[]; readonly since: number },
): Promise<boolean> {
  const ask = (pinned: { readonly revisions?: readonly string[] }) =>
    world.manifests.generate(
      ctx,
      requestFor(world, { app, place }, { ...pinned, resolve: { since }, hard: false }),
    );
  const now = await ask({});
  if (!now.cached) return false;
  if (now.revisions.every((revision, at) => revision === revisions[at])) return true;
  const before = await ask({ revisions });
  // the cache hands out the very same objects for as long as everything they depend on is as it was
  return (
    before.cached &&
    now.objects.length === before.objects.length &&
    now.objects.every((object, at) => object === before.objects[at]) &&
    now.warnings.join('\n') === before.warnings.join('\n')
  );
}
