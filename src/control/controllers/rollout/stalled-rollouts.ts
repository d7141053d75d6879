import type { Ctx } from '#base/std';
import type { Rollout, RolloutPlan, RolloutReplicaSet } from '#engine/rollouts';
import type { ExecutePlanDeps } from './execute-plan.ts';

/** compat rollouts RQ-3: after so long without progress the counts of pods are read from the cluster. */
const stillMs = 60_000;
/** compat rollouts RQ-13: an error that lasts so long is reported on the Rollout. */
const failingMs = 30_000;

/** Rollouts that wait for pods without a change, and Rollouts whose passes fail. Kept in memory: a restart starts over. */
export class StalledRollouts {
  readonly #still = new Map<string, { readonly version: string; readonly since: number }>();
  readonly #failing = new Map<string, number>();

  /** Whether the passes over a Rollout have failed for so long that a user must see it. */
  hasFailedLong(key: string, now: number): boolean {
    const since = this.#failing.get(key) ?? now;
    this.#failing.set(key, since);
    return now - since >= failingMs;
  }

  forget(key: string): void {
    this.#still.delete(key);
    this.#failing.delete(key);
  }

  /** After a pass: when the counts are to be read again, in milliseconds; `isDue`: now. undefined: something moves. */
  after(
    key: string,
    { metadata, status }: Rollout,
    { plan, now }: { readonly plan: RolloutPlan; readonly now: number },
  ): { readonly isDue: boolean; readonly nextMs: number } | undefined {
    this.#failing.delete(key);
    const isMoving = plan.writes.length > 0 || plan.status !== undefined || status?.phase !== 'Progressing';
    const version = metadata.resourceVersion ?? '';
    const before = this.#still.get(key);
    if (isMoving) {
      this.#still.delete(key);
      return undefined;
    }
    const since = before?.version === version ? before.since : now;
    const isDue = now - since >= stillMs;
    this.#still.set(key, { version, since: isDue ? now : since });
    return { isDue, nextMs: isDue ? stillMs : since + stillMs - now };
  }
}

/** A watch event that was lost leaves stale counts behind: puts the ReplicaSets of a Rollout as the cluster has them now. */
export async function readAgain(
  ctx: Ctx,
  { kube, informers }: ExecutePlanDeps,
  { metadata }: Rollout,
  known: readonly RolloutReplicaSet[],
): Promise<void> {
  const { namespace, uid } = metadata;
  const from = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace };
  const { items } = await kube.list(ctx, from, { labelSelector: 'rollouts-pod-template-hash' });
  const sets = items.filter(({ metadata: of }) => of.ownerReferences?.some((owner) => owner.uid === uid));
  for (const set of sets) informers.replicaSets.put(set as RolloutReplicaSet);
  const names = new Set(sets.map(({ metadata: of }) => of.name));
  for (const set of known) if (!names.has(set.metadata.name)) informers.replicaSets.drop(set);
}
