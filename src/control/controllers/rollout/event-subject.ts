import type { AnalysisRun, Rollout, RolloutPlan } from '#engine/rollouts';
import type { RolloutEventFacts } from '../notification/rollout-notifier.ts';
import type { RolloutInformers } from './informers.ts';

const hashLabel = 'rollouts-pod-template-hash';
const revisionKey = 'rollout.argoproj.io/revision';

type Known = {
  readonly informers: Pick<RolloutInformers, 'rollouts'>;
  readonly runs: readonly AnalysisRun[];
};

/** compat rollouts RE-2: what a message about an event is made from: the Rollout as the pass left it, and the runs of its revision. */
export function eventFactsOf(
  { informers, runs }: Known,
  rollout: Rollout,
  event: RolloutPlan['events'][number],
): RolloutEventFacts {
  const { namespace = '', name } = rollout.metadata;
  const current = informers.rollouts.get(namespace, name) ?? rollout;
  const hash = current.status?.currentPodHash;
  const revision = current.metadata.annotations?.[revisionKey];
  const analysisRuns = runs
    .filter(
      ({ metadata }) =>
        metadata.labels?.[hashLabel] === hash && metadata.annotations?.[revisionKey] === revision,
    )
    .toSorted((a, b) =>
      (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1,
    );
  return { rollout: current, event, analysisRuns };
}
