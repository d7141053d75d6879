/**
 * The engine: the decisions of GitOps, without side effects.
 *
 * Every export is a pure function of its arguments. Nothing here reads a clock, a file or a cluster; the
 * caller passes the facts in and carries out the verdict. The same code runs in the controller, in the CLI, in
 * a worker and in a browser.
 *
 * A pass over an Application:   prepareTarget → compare → decide
 * A pass over an operation:     planPass → prepareTarget → compare → planTasks → nextStep → (take the step) → record → finish
 * A pass over a deletion:       deletionStep → (take the step); finalizersFor adds the finalizers beforehand
 * Refresh triggers:             neededRefresh, affectedBy (a push), isSignificantChange (a live object), timerDelay
 * Views for the UI:             nodeOf, resourceTree, summarize, diff, unifiedDiff
 * A resource action:            discoverActions → (run its script) → actionsFor; startAction → (run its script) →
 *                               readChanges → planAction → (take the steps)
 * A pass over a set:           evaluateGenerators (its `produce` reads the facts; listParameters, clusterParameters, … turn them
 *                               into parameter sets) → ApplicationRenderer.render → rolloutPass → planSet → (take the steps) → setStatus
 * The end of a set:             setDeletionStep → (take the step); wantsSetFinalizer says whether the set needs one
 * A policy check:               denyApplication, denyObject, gateAutomation, gateRequest, gateOperation, Enforcer.judge
 *
 * Invariants
 * (1) compare() pairs every target and every live object exactly once.
 * (2) nextStep() of the same plan is the same step, on any machine, after any crash. The state of a sync is in
 *     operationState; everything else is derived again in each pass.
 * (3) No diff contains a Secret's value: both sides are masked before the diff is built.
 * (4) order() is total: shuffling its input changes nothing. No task is applied before its wave.
 * (5) A hook runs once per attempt. Its run is written on the object itself, so a controller that died between creating
 *     it and recording it finds it again instead of deleting and repeating it.
 * (6) A setting that the engine cannot honour yet yields a warning that begins with "not supported yet"; the engine drops
 *     nothing silently.
 * (7) No user's pattern or manifest can make a function here slow: globs match in one walk, and no list is searched twice.
 * (8) The verdict on a sync that a window blocks includes the opening time, to the millisecond; the instant between two
 *     windows is no opening, though the rule would call it one.
 * (9) No pattern that cannot be read grants anything. An RBAC decision names the policy line that made it.
 * (10) Every wait names its blockers: which object, in what state, since when, and what follows.
 * (11) An unchanged parameter set renders to the very same Application as in the last pass of its ApplicationRenderer.
 *
 * The caller's duties
 * (a) `step.results` are written to operationState before the step is taken, and record() of it afterwards.
 * (b) The live objects include the caller's own writes. Tasks in unseen() are read directly before the plan
 *     is trusted; missing ones go into `absent`.
 * (c) A dry run and the first step belong to one pass: call nextStep() again with the outcomes in `dryRun`.
 *
 * The engine does not render, does no I/O and does not authenticate users: the rooms around it check claims.
 */
export type { ActionChange } from './actions/action.ts';
export { actionsFor, discoverActions } from './actions/discover.ts';
export { type ActionStep, planAction, readChanges, startAction } from './actions/run.ts';
export { admissionProblems } from './admit.ts';
export { type SetOutcome, setStatus } from './application-sets/apply/conditions.ts';
export { isOwnedBySet } from './application-sets/apply/ownership.ts';
export {
  counted,
  isOutdated,
  planSet,
  previewSet,
  type SetPlan,
  type SetPlanInput,
} from './application-sets/apply/plan.ts';
export { resumedBy, resumedWarning } from './application-sets/apply/resumed.ts';
export { setDeletionStep, wantsSetFinalizer } from './application-sets/apply/set-deletion.ts';
export {
  type Evaluation,
  evaluateGenerators,
  type TerminalGenerator,
} from './application-sets/evaluate.ts';
export {
  clusterFacts,
  clusterParameters,
} from './application-sets/parameters/clusters.ts';
export { type DecisionFacts, decisionParameters } from './application-sets/parameters/decisions.ts';
export {
  directoryParameters,
  fileParameters,
  isDirectoryGenerator,
  selectDirectories,
  selectFiles,
} from './application-sets/parameters/git.ts';
export { listParameters } from './application-sets/parameters/list.ts';
export { pluginParameters } from './application-sets/parameters/plugin.ts';
export {
  branchParameters,
  type OpenPullRequest,
  pullRequestParameters,
  type RepositoryBranch,
} from './application-sets/parameters/scm.ts';
export type { SetParameters } from './application-sets/parameters/set-parameters.ts';
export { applicationSetProblems } from './application-sets/problems.ts';
export { errorRequeueMs, requeueAfterMs } from './application-sets/requeue.ts';
export { withoutAutomation } from './application-sets/rollout/automation.ts';
export { type RolloutPass, rolloutPass } from './application-sets/rollout/rollout.ts';
export { hasRollout } from './application-sets/rollout/steps.ts';
export { ApplicationRenderer } from './application-sets/template/render-application.ts';
export { applicationSetWarnings } from './application-sets/warnings.ts';
export {
  type CompareOptions,
  type Comparison,
  compare,
  comparing,
  diffCacheOf,
  doubtsOf,
  dryRunsFor,
} from './compare.ts';
export { decide } from './decide.ts';
export { abandon, deletionNeedsTargets, deletionStep } from './deletion/deletion.ts';
export { heldUp } from './deletion/holding.ts';
export { hookFinalizersOf } from './deletion/hook-finalizers.ts';
export { type DeletionStep, finalizersFor } from './deletion/hooks.ts';
export { canReuse, type DiffCache } from './diff/cache.ts';
export { definedType } from './diff/custom-types.ts';
export { diff } from './diff/diff.ts';
export { type DryRun, serverSideDiffWanted } from './diff/dry-runs.ts';
export { fieldManager } from './diff/field-manager.ts';
export { ignoreRules, remarksOn } from './diff/ignore.ts';
export { lastAppliedOf } from './diff/last-applied.ts';
export { keepNamedRevision } from './diff/named-revision.ts';
export { redact } from './diff/redact.ts';
export { respectIgnored } from './diff/respect.ts';
export { keepRolloutFields } from './diff/rollout-fields.ts';
export { glob } from './glob.ts';
export { type AggregateHealth, aggregateHealth } from './health/aggregate.ts';
export { explained, type PodsOf } from './health/explain.ts';
export { type Assessment, type HealthOptions, health } from './health/health.ts';
export { podProblem } from './health/pod-problem.ts';
export { type ProbeFault, probeFaults } from './health/probe-ports.ts';
export { applicationHints } from './hints.ts';
export { normalizeSpec } from './normalize-spec.ts';
export {
  type ApplicationEvent,
  abandonedEvent,
  eventsFor,
  heldEvent,
  leftBehindEvent,
} from './operation/events.ts';
export { historyAfter } from './operation/history.ts';
export { rollbackOperation, syncProblem } from './operation/manual.ts';
export {
  deadlineOf,
  finish,
  heedTermination,
  isCompleted,
  nextPassMs,
  planPass,
  requestTermination,
  retryAt,
} from './operation/operation.ts';
export { localManifests, pin, pinnedBy } from './operation/pin.ts';
export { sourcesOf } from './policy.ts';
export { denyApplication } from './project/application.ts';
export { projectProblems, projectWarnings } from './project/check.ts';
export { denyProjectDeletion } from './project/deletion.ts';
export { denyDestination, denyInCluster } from './project/destinations.ts';
export { effectiveProject, globalsOf } from './project/effective.ts';
export { identityFor } from './project/impersonation.ts';
export { denyLocalManifests, integrityOf } from './project/integrity.ts';
export { denyKind, denyObject } from './project/kinds.ts';
export { denyNamespace, isApplicationNamespace, namespaceProblems } from './project/namespaces.ts';
export { denySource } from './project/sources.ts';
export { rbacWarnings } from './rbac/check.ts';
export { type RbacConfig, type RbacProblem, readRbacConfig } from './rbac/config.ts';
export { type Claims, Enforcer } from './rbac/enforcer.ts';
export { parsePolicy, printRule, type RbacPolicy } from './rbac/policy.ts';
export type { Action } from './rbac/policy-index.ts';
export { roleGroups, roleSubject } from './rbac/project-policy.ts';
export {
  actionProblem,
  applicationObject,
  normalizeQuestion,
  questionsToMove,
  resourceActions,
  resourceNamed,
} from './rbac/vocabulary.ts';
export { invalidatesCaches, onForbidden, reachProblem } from './refresh/cluster-rules.ts';
export { repositoryGrace } from './refresh/grace.ts';
export {
  isOwnObject,
  isSignificantChange,
  levelFor,
  type UpdateRules,
  updateRules,
} from './refresh/live-change.ts';
export {
  deeper,
  isReconciliation,
  neededRefresh,
  type Refresh,
  type RefreshLevel,
  timerDelay,
} from './refresh/refresh.ts';
export {
  hasPlugin,
  type PullRequestEvent,
  pushConcernsSet,
  requestConcernsSet,
} from './refresh/set-webhook.ts';
export { heldElsewhere } from './refresh/takeover.ts';
export { affectedBy, mayHaveChanges, type Push } from './refresh/webhook.ts';
export { type HealthScript, healthScriptFor } from './scripts/choose.ts';
export { failedVerdict, readVerdict } from './scripts/verdict.ts';
export { isLeaving } from './sync/cleanup.ts';
export { isHook } from './sync/hooks.ts';
export { migratedFields } from './sync/migrate.ts';
export { operationOptions, readSyncOptions, type SyncOptions } from './sync/options.ts';
export { gatedService } from './sync/order.ts';
export { record } from './sync/results.ts';
export { isHeldHook, isHookOfSameSecond, runOfHook } from './sync/run.ts';
export { nextStep, unseen } from './sync/step.ts';
export { tallyOf } from './sync/tally.ts';
export type { HookRemoval, SyncPlan, SyncStep, SyncTask, TaskOutcome } from './sync/task.ts';
export { type PlanInput, planTasks } from './sync/tasks.ts';
export { actionable } from './sync-status.ts';
export {
  type ApplicationTarget,
  excludedBy,
  isExcludedKind,
  prepareTarget,
  stockExclusions,
} from './target.ts';
export { textDiff, unifiedDiff } from './text.ts';
export { defaultTracking, isDefinition, ownerOf, type Tracking, trackedBy } from './tracking.ts';
export { type HostInfo, hostsOf } from './tree/hosts.ts';
export { imagesOf } from './tree/images.ts';
export { type LiveNode, namesOf, nodeOf, parentNames } from './tree/node.ts';
export {
  type ApplicationTree,
  indexNodes,
  type NodeIndex,
  orphanedNodes,
  orphanWarning,
  resourceTree,
  summarize,
} from './tree/tree.ts';
export {
  gateAutomation,
  gateOperation,
  gateRequest,
  givenInfo,
  overrideInfo,
} from './windows/gate.ts';
export type { WindowVerdict } from './windows/judge.ts';
export { previewWindows, viewWindows } from './windows/preview.ts';
