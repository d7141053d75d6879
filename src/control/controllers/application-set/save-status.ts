import { type Application, type ApplicationSet, annotation, maskerOf } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { isOwnedBySet, type RolloutPass, type SetOutcome, setStatus } from '#engine';
import { createMergePatch } from '#kubernetes/patch';
import type { PassDeps } from './pass-deps.ts';
import { patchSet } from './patch-set.ts';

type PassReport = {
  readonly outcome: SetOutcome;
  readonly warnings: readonly string[];
  readonly rollout: RolloutPass | undefined;
  /** The applications of the set after the pass. */
  readonly owned: () => readonly Application[];
};

/**
 * compat sources ASA-12, ASQ-3: writes what differs, and nothing when nothing does. A refresh that was requested on this very
 * version of the set is answered; a newer request stays, and the write is refused with Conflict.
 */
export async function saveStatus(
  ctx: Ctx,
  { kube, sets, generators }: PassDeps,
  set: ApplicationSet,
  { outcome, warnings, rollout, owned }: PassReport,
): Promise<void> {
  const mask = maskerOf(set.spec);
  const status = setStatus({
    set,
    outcome: outcome.is === 'failed' ? { ...outcome, message: mask(outcome.message) } : outcome,
    owned: owned().filter((app) => isOwnedBySet(app, set)),
    warnings: warnings.map(mask),
    maxResources: generators.settings().applicationSet.maxResourcesStatusCount,
    now: ctx.clock.now(),
    ...(rollout && { rollout }),
  });
  const isAnswered =
    outcome.is === 'up to date' && set.metadata.annotations?.[annotation.applicationSetRefresh] !== undefined;
  const { resourceVersion } = set.metadata;
  const body = {
    ...(createMergePatch({ status: set.status ?? {} }, { status }) as object),
    ...(isAnswered && {
      metadata: { annotations: { [annotation.applicationSetRefresh]: null }, resourceVersion },
    }),
  };
  if (Object.keys(body).length === 0) return;
  try {
    sets.put(await patchSet(ctx, kube, set, body));
  } catch (error) {
    if (FairleadError.from(error).code !== 'NotFound') throw error;
  }
}
