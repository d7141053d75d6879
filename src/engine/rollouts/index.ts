/**
 * rollouts: what progressive delivery decides, without doing it.
 *
 * `planRollout` takes everything that one pass over a Rollout reads and returns the writes that are due, the status, the
 * events and the time of the next pass; `planExperiment` does so for an Experiment. The controllers
 * (control/controllers/rollout and experiment) read, carry out and report.
 *
 * Invariants
 * (1) Pure: the same state and the same time give the same plan. A plan without writes and status means: nothing to do.
 * (2) Every write is safe to repeat, and the status is written last: a process that dies between any two writes continues
 *     with the next pass.
 * (3) A verb that a person wrote (promote, abort, retry, pause) stays in the status until a pass has acted on it.
 * (4) Whatever waits for time says until when (`wakeAt`); nothing depends on a resync.
 * (5) The hash of a template, names, labels, conditions and messages are those of Argo Rollouts 1.9 (docs/contract/rollouts.md).
 */
export {
  type AnalysisMetric,
  type AnalysisRun,
  type AnalysisRunStatus,
  type AnalysisTemplate,
  isFinished,
  type Measurement,
  type MetricResult,
} from './analysis/analysis.ts';
export { substitute } from './analysis/arguments.ts';
export { matchedMetrics, metricsProblem } from './analysis/checks.ts';
export {
  type AnalysisNote,
  assess,
  completionNote,
  dueTasks,
  isTerminating,
  type MetricTask,
  nextDue,
  trimmed,
  withMeasurement,
} from './analysis/progress.ts';
export { describeExperiment, describeRollout } from './describe.ts';
export { needsPods } from './ephemeral-metadata.ts';
export type { Experiment } from './experiment/experiment.ts';
export { planExperiment, withFailure } from './experiment/plan.ts';
export type { ExperimentPlan } from './experiment/state.ts';
export { explainRollout } from './explain.ts';
export { failedPlan } from './finish.ts';
export { knativeOf, trafficManager } from './knative/settings.ts';
export {
  asReplicaSet,
  type KnativeFacts,
  type KnativeRevision,
  type KnativeServiceView,
  revisionsOf,
  rolesOfRevisions,
} from './knative/view.ts';
export { type LintFinding, lintExperiment, lintRollout, lintTemplate } from './lint.ts';
export type { RolloutPlan, RolloutPod, RolloutService } from './pass.ts';
export { planRollout } from './plan.ts';
export type { RolloutWrite } from './plan-draft.ts';
export { referencesOf } from './references.ts';
export { ownerOf, rolesOf } from './replica-sets.ts';
export type { Rollout, RolloutReplicaSet } from './rollout.ts';
export {
  promoteFullPatches,
  promotePatches,
  templateOfRevision,
  templateWithImages,
  type VerbPatch,
  verbPatches,
} from './verbs.ts';
export { type WorkloadView, withWorkload } from './workload.ts';
