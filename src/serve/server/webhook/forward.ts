import {
  type Application,
  type ApplicationSet,
  annotation,
  type KubeObject,
  type Settings,
} from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { affectedBy, hasPlugin, type Push, pushConcernsSet } from '#engine';
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
  await request(ctx, deps, soon);
  const later = touched.slice(soon.length);
  // spread evenly over the wanted time; pushes that arrive in between only make it longer
  for (const app of later) {
    await ctx.clock.sleep(jitterMs / later.length, ctx.signal).catch(() => {});
    if (ctx.signal.aborted) return;
    await request(ctx, deps, [app]);
  }
}

const request = (ctx: Ctx, deps: ForwardDeps, apps: readonly Application[]): Promise<void> =>
  annotate(ctx, deps, apps, { [annotation.refresh]: 'normal' });

export type ForwardToSetsDeps = {
  readonly kube: Pick<KubeClient, 'patch'>;
  sets(): readonly ApplicationSet[];
  /** Takes back a push that could not be forwarded to every set before the server stopped. */
  giveBack(push: Push): void;
};

/** compat sources ASQ-6: the same for ApplicationSets, whose annotation requests an evaluation without cached branches. */
export async function forwardToSets(
  ctx: Ctx,
  deps: ForwardToSetsDeps,
  pushes: AsyncIterable<Push>,
): Promise<void> {
  for await (const push of pushes) {
    const concerned = deps.sets().filter((set) => pushConcernsSet(set, push) || hasPlugin(set));
    await refreshSets(ctx, deps, concerned);
    if (ctx.signal.aborted) deps.giveBack(push);
  }
}

/** Requests an evaluation of each set; one that is requested already needs no second request. */
export async function refreshSets(
  ctx: Ctx,
  deps: Pick<ForwardToSetsDeps, 'kube'>,
  sets: readonly ApplicationSet[],
): Promise<void> {
  const { applicationSetRefresh: name } = annotation;
  const quiet = sets.filter(({ metadata }) => metadata.annotations?.[name] === undefined);
  await annotate(ctx, deps, quiet, { [name]: 'true' });
}

async function annotate(
  ctx: Ctx,
  { kube }: Pick<ForwardDeps, 'kube'>,
  objects: readonly KubeObject[],
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const body = { metadata: { annotations } };
  for (let from = 0; from < objects.length; from += width) {
    const writes = objects.slice(from, from + width).map(async (object) => {
      try {
        await kube.patch(ctx, refOf(object), { type: 'merge', body });
      } catch (error) {
        const { code } = FairleadError.from(error);
        if (ctx.signal.aborted || code === 'NotFound') return;
        const { kind, metadata } = object;
        ctx.log.warn('refresh annotation not written', { kind, name: metadata.name, error });
      }
    });
    await Promise.all(writes);
  }
}
