/**
 * controllers: where things are done. One folder per kind, always the same file names: `controller` (what wakes us),
 * `reconcile` (the look), `operate` (the step), `finalize` (the ending), `status` (what users read).
 *
 * Invariants
 * (1) A pass is safe at any moment and any number of times; it takes at most one step.
 * (2) Decisions are written onto objects before they are acted upon, results after: any process may die at any line.
 * (3) Passes over one Application never overlap on one queue; its refresh and its operation may.
 * (4) A failure ends on the object it concerns, in words; other objects are untouched.
 * (5) Settings that change are heeded at once, by those they may concern, behind everything that somebody waits for.
 * (6) What happens to an Application is told in Events beside it, counted and bounded; no pass waits for one or fails
 *     with it, but that an Application leaves its resources behind is told before it goes.
 */
export { applicationController } from './application/controller.ts';
export { createEventRecorder } from './application/status/event-recorder.ts';
export type { Observer } from './application/status/observer.ts';
export { applicationSetController } from './application-set/controller.ts';
export { projectController } from './project/controller.ts';
export { defaultProject } from './project/default-project.ts';
