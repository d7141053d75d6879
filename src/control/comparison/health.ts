import type { HealthCode, KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { type HealthOptions, healthScriptFor } from '#engine';
import type { ComparisonDeps } from './comparison-deps.ts';
import { podsIn } from './pods.ts';

/** How the health of objects is assessed: by the scripts that ran for them, else by the built-in checks. */
export type HealthJudgement = HealthOptions;

/**
 * Runs the health scripts of the objects that have one. With the `cache` of their cluster, messages say why a Pod does not
 * run.
 */
export async function runHealthScripts(
  ctx: Ctx,
  { settings, scripts }: Pick<ComparisonDeps, 'settings' | 'scripts'>,
  objects: Iterable<KubeObject>,
  cache?: Parameters<typeof podsIn>[0],
): Promise<HealthJudgement> {
  const { application, resources } = settings();
  const scripted = await scripts.judge(ctx, objects, resources.overrides);
  return { child: { mode: application.childHealth }, scripted, ...(cache && { podsOf: podsIn(cache) }) };
}

/**
 * For deciding whether a change matters, without running a script: an object with a script of its own counts as changed, also
 * against its own earlier version.
 */
export function shippedHealthOnly({ settings }: Pick<ComparisonDeps, 'settings'>): HealthJudgement {
  const { application, resources } = settings();
  return {
    child: { mode: application.childHealth },
    scripted: (object) =>
      healthScriptFor(object, resources.overrides) && {
        health: { status: `at version ${object.metadata.resourceVersion}` as HealthCode },
      },
  };
}

/** Whether any kind has a script; without one, callers need not collect objects for it. */
export function hasScripts({ settings }: Pick<ComparisonDeps, 'settings'>): boolean {
  return Object.values(settings().resources.overrides).some(({ healthLua }) => healthLua);
}
