import type { Application, KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { finalizersFor } from '#engine';
import { hasReason } from '#kubernetes/client';
import { createMergePatch } from '#kubernetes/patch';
import type { Applications } from '../applications.ts';

type Tidied = {
  /** As the API server has it. */
  readonly stored: Application;
  /** As it was looked at, its spec normal. */
  readonly app: Application;
  readonly targets: readonly KubeObject[];
};

/**
 * Writes onto an Application what a look found for its spec and its finalizers, in one patch, or in none.
 * compat A-28: one with hooks for its deletion is held until they have run; written before the status.
 */
export async function writeSpecAndFinalizers(
  ctx: Ctx,
  apps: Pick<Applications, 'patch'>,
  { stored, app, targets }: Tidied,
): Promise<Application> {
  const metadata = finalizersOf(app, targets);
  const changes =
    app === stored ? {} : (createMergePatch({ spec: stored.spec }, { spec: app.spec }) as object);
  if (!metadata && Object.keys(changes).length === 0) return app;
  try {
    const { resourceVersion } = stored.metadata;
    return await apps.patch(ctx, stored, { ...changes, metadata: { ...metadata, resourceVersion } });
  } catch (error) {
    // somebody was quicker; the next look finds it as it is now
    if (!hasReason(error, 'Conflict')) throw error;
    return app;
  }
}

function finalizersOf(
  app: Application,
  targets: readonly KubeObject[],
): { readonly finalizers: readonly string[] } | undefined {
  const before = app.metadata.finalizers;
  const finalizers = finalizersFor(app, targets);
  if (finalizers === before || finalizers.length + (before?.length ?? 0) === 0) return undefined;
  return { finalizers };
}
