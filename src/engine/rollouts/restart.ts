import { isConditionTrue } from '#base/model';
import { limitsOf } from './canary-replicas.ts';
import type { Draft, RolloutPod } from './pass.ts';
import { refTo } from './plan-draft.ts';
import { hashOf, sizeOf, total } from './replica-sets.ts';
import { replicasOf, rolloutKey } from './rollout.ts';

const retryMs = 30_000;

/** compat rollouts RW-9: evicts pods that are older than the requested restart; true: it evicted some. */
export function restartPods(draft: Draft): boolean {
  const { rollout, pass, status } = draft;
  const { restartAt } = rollout.spec ?? {};
  const due = Date.parse(restartAt ?? '');
  if (!restartAt || Number.isNaN(due) || Date.parse(status.restartedAt ?? '') === due) return false;
  const now = pass.now.getTime();
  if (now <= due) {
    draft.wake(due + 1);
    return false;
  }
  const old = pass.pods.filter((pod) => isOlder(pod, due));
  if (old.length === 0) {
    if (pass.roles.all.every((set) => sizeOf(set) === 0 || pass.pods.some((pod) => isOf(pod, hashOf(set)))))
      status.restartedAt = restartAt;
    return false;
  }
  draft.wake(now + retryMs);
  const budget = evictionBudget(draft);
  const next = inOrder(
    draft,
    old.filter(({ metadata }) => !metadata.deletionTimestamp),
  ).slice(0, budget);
  for (const pod of next) draft.write({ verb: 'evict', ref: refTo(pod) });
  return next.length > 0;
}

const isOlder = ({ metadata }: RolloutPod, due: number): boolean =>
  Date.parse(metadata.creationTimestamp ?? '') < due;
const isOf = ({ metadata }: RolloutPod, hash: string): boolean => metadata.labels?.[rolloutKey.hash] === hash;

/** The stable pods first, then the new ones, then all others. */
function inOrder({ pass }: Draft, pods: readonly RolloutPod[]): RolloutPod[] {
  const ranks = [pass.roles.stable, pass.roles.fresh].map(hashOf);
  const rank = (pod: RolloutPod): number => {
    const at = ranks.indexOf(pod.metadata.labels?.[rolloutKey.hash] ?? '');
    return at < 0 ? ranks.length : at;
  };
  return pods.toSorted((a, b) => rank(a) - rank(b));
}

function evictionBudget({ rollout, pass }: Draft): number {
  const allowed = Math.max(1, limitsOf(rollout).unavailable);
  const wanted = Math.max(replicasOf(rollout), total(pass.roles.all, sizeOf));
  const available = pass.pods.filter(
    ({ metadata, status }) =>
      !metadata.deletionTimestamp && isConditionTrue(status?.conditions ?? [], 'Ready'),
  ).length;
  return Math.max(0, allowed - Math.max(0, wanted - available));
}
