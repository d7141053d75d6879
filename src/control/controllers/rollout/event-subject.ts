import { type KubeObject, printTime } from '#base/model';
import type { AnalysisRun, Rollout, RolloutPlan } from '#engine/rollouts';
import { applyMergePatch } from '#kubernetes/patch';
import type { RolloutEventFacts } from '../notification/announce.ts';

const hashLabel = 'rollouts-pod-template-hash';
const revisionKey = 'rollout.argoproj.io/revision';

/**
 * compat rollouts RE-2: what the messages about the events of a plan are made from: the Rollout as the plan will leave it, and the
 * runs of its revision.
 */
export function eventFactsOf(
  rollout: Rollout,
  plan: Pick<RolloutPlan, 'writes' | 'status' | 'events'>,
  known: { readonly runs: readonly AnalysisRun[]; readonly now: Date },
): readonly RolloutEventFacts[] {
  if (plan.events.length === 0) return [];
  const after = afterPlan(rollout, plan);
  const hash = after.status?.currentPodHash;
  const revision = after.metadata.annotations?.[revisionKey];
  const created = plan.writes.flatMap((write) => createdRun(write, known.now));
  const analysisRuns = [...known.runs, ...created]
    .filter(
      ({ metadata }) =>
        metadata.labels?.[hashLabel] === hash && metadata.annotations?.[revisionKey] === revision,
    )
    .toSorted((a, b) =>
      (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1,
    );
  return plan.events.map((event) => ({ rollout: after, event, analysisRuns }));
}

function afterPlan(rollout: Rollout, { writes, status }: Pick<RolloutPlan, 'writes' | 'status'>): Rollout {
  const patched = writes.reduce<KubeObject>(
    (object, write) =>
      write.verb === 'patch' && write.ref.kind === 'Rollout'
        ? (applyMergePatch(object, write.body) as KubeObject)
        : object,
    rollout,
  );
  return { ...patched, ...(status && { status }) } as Rollout;
}

function createdRun(write: RolloutPlan['writes'][number], now: Date): KubeObject[] {
  if (write.verb !== 'create' || write.object.kind !== 'AnalysisRun') return [];
  const { object } = write;
  return [{ ...object, metadata: { ...object.metadata, creationTimestamp: printTime(now) } }];
}
