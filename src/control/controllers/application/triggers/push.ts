import { type Application, isAutomated } from '#base/model';
import type { Ctx } from '#base/std';
import { type ComparisonDeps, isUnchanged, resolveDestination } from '#control/comparison';
import { affectedBy, neededRefresh, normalizeSpec, type Push, sourcesOf } from '#engine';
import { type Applications, keyOfApp } from '../applications.ts';
import type { RefreshQueue } from './refresh-queue.ts';

type PushDeps = {
  readonly context: Pick<ComparisonDeps, 'settings'>;
  readonly apps: Pick<Applications, 'all'>;
  readonly refreshes: Pick<RefreshQueue, 'requestForPush'>;
  readonly satisfies?: ((version: string, range: string) => boolean) | undefined;
};

/** compat engine R-11: a push refreshes the applications whose sources it touches; beyond the threshold with jitter. */
export async function refreshPushed(
  { context, apps, refreshes, satisfies }: PushDeps,
  pushes: AsyncIterable<Push> | Iterable<Push>,
): Promise<void> {
  for await (const push of pushes) {
    const { jitterMs, threshold } = context.settings().server.webhook;
    const touched = apps.all().filter((app) => affectedBy(app, push, satisfies ? { satisfies } : {}));
    for (const [index, app] of touched.entries()) {
      const afterMs = jitterMs > 0 && index >= threshold ? Math.random() * jitterMs : 0;
      refreshes.requestForPush(keyOfApp(app), {
        afterMs,
        lane: touchesPathsOf(app, push) ? 'prompt' : 'bulk',
      });
    }
  }
}

/** Whether a push changes files that an application reads; true if the push lists no files. */
function touchesPathsOf(app: Application, { changedFiles }: Push): boolean {
  if (changedFiles.length === 0) return true;
  const folders = sourcesOf(app).map(({ path = '' }) => `${path.replace(/^\.?\/|\/$/g, '')}/`);
  return folders.some((folder) => folder === '/' || changedFiles.some((file) => file.startsWith(folder)));
}

/**
 * docs/decisions/0018: whether a push received at `since` leaves an application exactly as its status reports, so that only
 * the recorded revision is older. Never true where something else is due or unknown; a refresh then finds out.
 */
export async function isUnaffectedByPush(
  ctx: Ctx,
  context: ComparisonDeps,
  stored: Application,
  since: number,
): Promise<boolean> {
  const app = normalizeSpec(stored);
  const { revision, revisions = revision ? [revision] : [], status } = app.status?.sync ?? {};
  // an OutOfSync application may be synced to the new revision, whatever it contains (engine R-23)
  const isAtRest = status === 'Synced' || (status === 'OutOfSync' && !isAutomated(app.spec));
  const isComplete = revisions.length === sourcesOf(app).length && revisions.every((one) => one !== '');
  const { refresh: intervals } = context.settings();
  if (!isAtRest || !isComplete || neededRefresh(app, { now: ctx.clock.now(), intervals })) return false;
  const placed = resolveDestination(context, app);
  if ('conditions' in placed) return false;
  try {
    return await isUnchanged(ctx, context, { app, destination: placed.destination }, { revisions, since });
  } catch {
    ctx.signal.throwIfAborted();
    return false; // a refresh reports why
  }
}
