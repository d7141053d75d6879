/**
 * The engine: what GitOps thinks, with no hands.
 *
 * Every export is a pure function of its arguments. Nothing here reads a clock, a file or a cluster; the caller brings
 * the facts and carries out the verdict. The same code runs in the controller, in the CLI, in a worker and in a browser.
 *
 * A pass over an Application:   prepareTarget → compare → decide
 * A pass over an operation:     turn → prepareTarget → compare → planTasks → nextStep → (take the step) → record → finish
 * A look for people:            nodeOf, resourceTree, summarize, diff, unifiedDiff
 *
 * Invariants
 * (1) compare() pairs every target and every live object exactly once.
 * (2) nextStep() of the same plan is the same step, on any machine, after any crash. Everything a sync remembers is in
 *     operationState; everything else is derived afresh in each pass.
 * (3) No diff contains a Secret's value: both sides are masked before they are compared.
 * (4) order() is total: shuffling its input changes nothing. No task is applied before its wave.
 * (5) A hook runs once per attempt. Its run is written on the object itself, so a controller that died between creating
 *     it and recording it finds it again instead of deleting and repeating it.
 * (6) What we cannot honour yet is said in a warning that begins with "not supported yet"; nothing is dropped in silence.
 * (7) Nobody's pattern or manifest can make a function here slow: globs match in one walk, and no list is searched twice.
 *
 * What the caller owes
 * (a) `step.results` are written to operationState before the step is taken, and record() of it afterwards.
 * (b) The live objects include the caller's own writes. Tasks in unseen() are read directly before the plan is trusted;
 *     those that are not there go into `absent`.
 * (c) A dry run and the first step belong to one pass: nextStep() is asked again with the outcomes in `dryRun`.
 *
 * It refuses to render, to talk to anybody, and to decide who may do what: that is for the rooms around it.
 */
export { type CompareOptions, type Comparison, compare, type ResourceComparison } from './compare.ts';
export { type Compared, type DecideOptions, type Decision, decide } from './decide.ts';
export { type DiffOptions, diff, type ObjectDiff } from './diff/diff.ts';
export type { FieldDifference } from './diff/fields.ts';
export { type IgnoreRules, ignoreRules, respectIgnored } from './diff/ignore.ts';
export { fieldManager } from './diff/predict.ts';
export { redact } from './diff/redact.ts';
export { glob, pathMatch } from './glob.ts';
export { aggregateHealth } from './health/aggregate.ts';
export type { ChildHealth } from './health/application.ts';
export { type HealthOptions, health } from './health/health.ts';
export { isWorse } from './health/verdict.ts';
export { imagesOf } from './images.ts';
export { type LiveNode, nodeOf } from './node.ts';
export {
  finish,
  historyAfter,
  isCompleted,
  requestTermination,
  retryAt,
  type Turn,
  turn,
} from './operation.ts';
export {
  denyApplication,
  denyDestination,
  denyKind,
  denyNamespace,
  denyObject,
  denySource,
  effectiveProject,
  projectWarnings,
  type ResolvedDestination,
} from './permit.ts';
export { sourcesOf } from './policy.ts';
export { deeper, isReconciliation, neededRefresh, type Refresh, type RefreshLevel } from './refresh.ts';
export { deletePoliciesOf, explicitDeletePoliciesOf, hookTypesOf, isHook } from './sync/hooks.ts';
export { operationOptions, readSyncOptions, type SyncOptions } from './sync/options.ts';
export { record } from './sync/results.ts';
export { nextStep, unseen } from './sync/step.ts';
export type { HookRemoval, Moment, Outcome, Step, SyncPlan, SyncTask } from './sync/task.ts';
export { type Discovery, type PlanInput, planTasks } from './sync/tasks.ts';
export { isExcludedKind, prepareTarget, type Target, type TargetOptions } from './target.ts';
export { unifiedDiff } from './text.ts';
export {
  defaultTracking,
  isSelfReferenced,
  type Owner,
  ownerOf,
  parseTrackingId,
  type Tracking,
  track,
  trackedBy,
} from './tracking.ts';
export {
  indexNodes,
  type NodeIndex,
  orphanedNodes,
  type ResourceNode,
  type ResourceTree,
  resourceTree,
  summarize,
} from './tree.ts';
