import type { Application } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from './comparison-deps.ts';
import type { AppDestination } from './destination.ts';
import { requestFor } from './request.ts';

/**
 * Whether the sources render, object for object, to the same manifests as at the recorded revisions, so that a push did not
 * affect them. `since` is when the push was received; cached refs must be younger. Costs two queries of the render cache if
 * nothing changed, and the render that is due anyway if something did. Throws the error that prevents the answer.
 */
export async function isUnchanged(
  ctx: Ctx,
  context: ComparisonDeps,
  { app, destination }: { readonly app: Application; readonly destination: AppDestination },
  { revisions, since }: { readonly revisions: readonly string[]; readonly since: number },
): Promise<boolean> {
  const request = (pinned: { readonly revisions?: readonly string[] }) =>
    context.manifests.generate(
      ctx,
      requestFor(context, { app, destination }, { ...pinned, resolve: { since }, hard: false }),
    );
  const now = await request({});
  if (!now.cached) return false;
  if (now.revisions.every((revision, at) => revision === revisions[at])) return true;
  const before = await request({ revisions });
  // the cache returns identical objects for as long as all their inputs are unchanged
  return (
    before.cached &&
    now.objects.length === before.objects.length &&
    now.objects.every((object, at) => object === before.objects[at]) &&
    now.warnings.join('\n') === before.warnings.join('\n')
  );
}
