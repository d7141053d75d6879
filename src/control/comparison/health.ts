import type { HealthCode, KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { type HealthOptions, healthScriptFor } from '#engine';
import type { ComparisonDeps } from './comparison-deps.ts';
import { podsIn } from './pods.ts';

/** How objects are judged: by the scripts that ran for them, else by the checks we ship. */
export type HealthJudgement = HealthOptions;

/**
 * Runs the health scripts of those objects that have one, and only of those. With the `cache` of their cluster, messages
 * name why a Pod does not run.
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
 * For telling whether a change may matter, with no time to run anything: what has a script of its own is like nothing else,
 * not even like itself a version earlier.
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

/** Whether any kind has a script; where none has, nobody need gather objects for it. */
export function hasScripts({ settings }: Pick<ComparisonDeps, 'settings'>): boolean {
  return Object.values(settings().resources.overrides).some(({ healthLua }) => healthLua);
}
