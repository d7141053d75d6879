import { type Application, type ApplicationSet, finalizer } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { setDeletionStep } from '#engine';
import { hasReason, refOf } from '#kubernetes/client';
import type { PassDeps } from './pass-deps.ts';
import { keyOfSet } from './triggers/object-changes.ts';
import { deleteApplication } from './write-applications.ts';

const mostSteps = 10_000;

/**
 * compat sources ASA-10, ASY-11: carries out the steps of a set's deletion until one must be waited for; returns after which
 * time to go on. Every step is safe to repeat: a kill between two of them loses nothing.
 */
export async function finalize(ctx: Ctx, deps: PassDeps, set: ApplicationSet): Promise<number | undefined> {
  const settings = deps.generators.settings().applicationSet;
  if (settings.dryRun) return undefined;
  for (let count = 0; count < mostSteps; count++) {
    const live = deps.ownedBy(keyOfSet(set));
    const step = setDeletionStep(set, { live, settings, now: ctx.clock.now() });
    switch (step.do) {
      case 'nothing':
        return undefined;
      case 'release':
        for (const app of step.applications) await release(ctx, deps, app);
        break;
      case 'delete':
        ctx.log.info('application deleted: the set is deleted in reverse order', {
          app: step.application.metadata.name,
        });
        await deleteApplication(ctx, deps, step.application);
        return reverseMs;
      case 'wait':
        ctx.log.info('applicationset deletion waits', { why: step.message });
        return step.ms;
      case 'verify':
        await verifyGone(ctx, deps, step.application, step.message);
        break;
      case 'remove finalizer':
        await removeFinalizer(ctx, deps, set);
        return undefined;
    }
  }
  return 0;
}

/** compat sources ASY-11. */
const reverseMs = 10_000;

/** Without its owner the garbage collector leaves the application alone. */
async function release(ctx: Ctx, { kube, apps }: PassDeps, app: Application): Promise<void> {
  const body = { metadata: { ownerReferences: null, resourceVersion: app.metadata.resourceVersion } };
  try {
    apps.put((await kube.patch(ctx, refOf(app), { type: 'merge', body })) as Application);
    ctx.log.info('application released: the policy of its set forbids deletion', { app: app.metadata.name });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    apps.drop(app);
  }
}

/** An application that has been ending for long may be gone without our noticing. */
async function verifyGone(
  ctx: Ctx,
  { kube, apps }: PassDeps,
  app: Application,
  message: string,
): Promise<void> {
  const found = await kube.find(ctx, refOf(app));
  if (found?.metadata.uid === app.metadata.uid) throw new FairleadError('Unavailable', message);
  apps.drop(app);
}

async function removeFinalizer(ctx: Ctx, { kube }: PassDeps, set: ApplicationSet): Promise<void> {
  const { finalizers = [], resourceVersion } = set.metadata;
  const others = finalizers.filter((name) => name !== finalizer.resources);
  const body = { metadata: { finalizers: others, resourceVersion } };
  try {
    await kube.patch(ctx, refOf(set), { type: 'merge', body });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}
