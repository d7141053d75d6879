import { type Application, annotation, type Settings } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { affectedBy, type Push } from '#engine';
import { type KubeClient, refOf } from '#kubernetes/client';

export type ForwardDeps = {
  readonly kube: Pick<KubeClient, 'patch'>;
  apps(): readonly Application[];
  settings(): Pick<Settings, 'server'>;
  /** Whether a version is within a range, for applications that follow one. */
  satisfies(version: string, range: string): boolean;
  /** Takes back a push that could not be forwarded to every application before the server stopped. */
  giveBack(push: Push): void;
};

/** compat server §2.7: concurrent writes. */
const width = 20;

/**
 * compat server §2.7 (5): where the controller is another process, the refresh annotation is set on affected
 * applications. An application that already has it needs no second one.
 */
export async function forwardPushes(ctx: Ctx, deps: ForwardDeps, pushes: AsyncIterable<Push>): Promise<void> {
  for await (const push of pushes) {
    await forward(ctx, deps, push);
    if (ctx.signal.aborted) deps.giveBack(push);
  }
}

async function forward(ctx: Ctx, deps: ForwardDeps, push: Push): Promise<void> {
  const { satisfies } = deps;
  const touched = deps
    .apps()
    .filter((app) => app.metadata.annotations?.[annotation.refresh] === undefined)
    .filter((app) => affectedBy(app, push, { satisfies }));
  const { jitterMs, threshold } = deps.settings().server.webhook;
  const soon = jitterMs > 0 ? touched.slice(0, threshold) : touched;
  await ask(ctx, deps, soon);
  const later = touched.slice(soon.length);
  // spread evenly over the wanted time; pushes that arrive in between only make it longer
  for (const app of later) {
    await ctx.clock.sleep(jitterMs / later.length, ctx.signal).catch(() => {});
    if (ctx.signal.aborted) return;
    await ask(ctx, deps, [app]);
  }
}

async function ask(ctx: Ctx, { kube }: ForwardDeps, apps: readonly Application[]): Promise<void> {
  const body = { metadata: { annotations: { [annotation.refresh]: 'normal' } } };
  for (let from = 0; from < apps.length; from += width) {
    const writes = apps.slice(from, from + width).map(async (app) => {
      try {
        await kube.patch(ctx, refOf(app), { type: 'merge', body });
      } catch (error) {
        const { code } = FairleadError.from(error);
        if (ctx.signal.aborted || code === 'NotFound') return;
        ctx.log.warn('refresh annotation not written', { app: app.metadata.name, error });
      }
    });
    await Promise.all(writes);
  }
}
