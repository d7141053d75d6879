/**
 * controllers: reconcile Applications, AppProjects, ApplicationSets, Rollouts, AnalysisRuns and Experiments, and send
 * notifications. One folder per kind: its `controller` has the watches and queues, `reconcile` the pass over one object; an
 * Application also has `sync/operate` (one step of an operation) and `deletion/finalize`.
 *
 * Invariants
 * (1) A pass is safe at any moment and any number of times; it takes at most one step.
 * (2) Decisions are written onto objects before they are acted upon, results after: any process may die at any line.
 * (3) Passes over one Application never overlap on one queue; its refresh and its operation may.
 * (4) A failure is reported on the object it concerns; other objects are untouched.
 * (5) Changed settings take effect at once, for the applications they may affect, after all requests that a user waits for.
 * (6) Kubernetes Events report what happens to an Application, counted and bounded; no pass waits for one or fails with it,
 *     except that the Event about resources left in place is written before the Application is removed.
 */
export { analysisController } from './analysis/controller.ts';
export { applicationController } from './application/controller.ts';
export type { ComparisonRecord } from './application/pacing/repository-grace.ts';
export { createEventRecorder } from './application/status/event-recorder.ts';
export type { Observer } from './application/status/observer.ts';
export { applicationSetController, type SetObserver } from './application-set/controller.ts';
export { experimentController } from './experiment/controller.ts';
export { NotificationConfigs } from './notification/configs.ts';
export { notificationController } from './notification/controller.ts';
export { deliveryLogName, readRecords } from './notification/delivery-log.ts';
export type { NotificationControllerDeps, NotificationObserver } from './notification/pass-deps.ts';
export { RolloutNotifier } from './notification/rollout-notifier.ts';
export { projectController } from './project/controller.ts';
export { defaultProject } from './project/default-project.ts';
export { type RolloutObserver, rolloutController } from './rollout/controller.ts';
export { RolloutInformers } from './rollout/informers.ts';
export { actWithoutPeer } from './rollout/peer.ts';
