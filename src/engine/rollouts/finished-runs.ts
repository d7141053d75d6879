import { type AnalysisRun, isFinished } from './analysis/analysis.ts';
import type { Experiment } from './experiment/experiment.ts';
import type { Draft } from './pass.ts';
import { hashOf } from './replica-sets.ts';
import { rolloutKey } from './rollout.ts';

/** compat rollouts RA-19: of runs, and of Experiments, the newest of each verdict are kept, and none of a ReplicaSet that is gone. */
export function collectFinished(draft: Draft, runs: readonly (AnalysisRun | Experiment)[]): void {
  const { rollout, pass } = draft;
  const { successfulRunHistoryLimit = 5, unsuccessfulRunHistoryLimit = 5 } = rollout.spec?.analysis ?? {};
  const hashes = new Set(pass.roles.all.map(hashOf));
  const done = runs
    .filter(({ metadata, status }) => !metadata.deletionTimestamp && isFinished(status?.phase))
    .toSorted((a, b) => createdAt(b) - createdAt(a));
  const isGood = ({ status }: AnalysisRun | Experiment): boolean => status?.phase === 'Successful';
  const beyond = [
    ...done.filter(isGood).slice(successfulRunHistoryLimit),
    ...done.filter((run) => !isGood(run)).slice(unsuccessfulRunHistoryLimit),
  ];
  const gone = done.filter(({ metadata }) => !hashes.has(metadata.labels?.[rolloutKey.hash] ?? ''));
  for (const run of new Set([...beyond, ...gone])) draft.remove(run);
}

const createdAt = ({ metadata }: AnalysisRun | Experiment): number =>
  Date.parse(metadata.creationTimestamp ?? '') || 0;
