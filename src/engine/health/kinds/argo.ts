import { check, conditions, on, otherwise, phases, settledBy } from '../rules.ts';
import { type Checks, degraded, healthy, progressing, unknown } from '../verdict.ts';
import { rolloutHealth } from './rollout.ts';

const measured = {
  Pending: progressing,
  Running: progressing,
  Successful: healthy,
  Failed: degraded,
  Error: degraded,
};

/** The other Argo projects: Rollouts, Workflows, Events. */
export const argo: Checks = {
  'argoproj.io/AnalysisRun': check(phases('status.phase', { ...measured, Inconclusive: unknown }, unknown)),
  'argoproj.io/CronWorkflow': check(
    conditions(
      on('SpecError', 'True', degraded),
      on('SubmissionError', 'True', degraded),
      on('Completed', 'True', healthy),
    ),
    otherwise(healthy),
  ),
  'argoproj.io/EventBus': check(settledBy('Deployed')),
  'argoproj.io/Experiment': check(phases('status.phase', measured, unknown)),
  'argoproj.io/Rollout': rolloutHealth,
};
