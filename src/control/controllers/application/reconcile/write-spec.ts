import type { Application, KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { finalizersFor } from '#engine';
import { endedOverrides } from '#engine/traffic';
import { hasReason } from '#kubernetes/client';
import { createMergePatch } from '#kubernetes/patch';
import type { Applications } from '../applications.ts';

type Tidied = {
  /** As stored by the API server. */
  readonly stored: Application;
  /** As this pass read it, with a normalized spec (engine A-17). */
  readonly app: Application;
  readonly targets: readonly KubeObject[];
};

/**
 * Writes the normalized spec and the finalizers onto an Application, in one patch, or none.
 * compat engine A-28: one with deletion hooks gets their finalizer; written before the status.
 * An override of traffic that Git has caught up with is removed (decision 56).
 */
export async function writeSpecAndFinalizers(
  ctx: Ctx,
  apps: Pick<Applications, 'patch'>,
  { stored, app, targets }: Tidied,
): Promise<Application> {
  const annotations = endedOverrides(app, targets);
  const metadata = annotations ? { ...finalizersOf(app, targets), annotations } : finalizersOf(app, targets);
  const changes =
    app === stored ? {} : (createMergePatch({ spec: stored.spec }, { spec: app.spec }) as object);
  if (!metadata && Object.keys(changes).length === 0) return app;
  try {
    const { resourceVersion } = stored.metadata;
    return await apps.patch(ctx, stored, { ...changes, metadata: { ...metadata, resourceVersion } });
  } catch (error) {
    // another writer was first; the next refresh reads its version
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
