/**
 * traffic: shows and changes the traffic of the Knative Services of an application (decision 56), and restores the template of
 * an earlier Revision in Git (decision 60).
 *
 * Promises
 * (1) A change goes to Git, as one commit on top of the branch that the application tracks or on one that the user names; or it
 *     is recorded on the Application as an override, with its author, time and reason.
 * (2) A commit changes one file below the folder of the application, and the application renders as before with it but for the
 *     traffic, or the template, of that one Service. Where no such edit exists, the error names what to edit by hand.
 * (3) A request that is repeated does nothing twice: what is declared already is no commit, and a branch that moved is planned
 *     again, never overwritten.
 * (4) It pushes to the application's own repositories only, with credentials that were declared for writing.
 *
 * The caller checks permissions.
 */
export { commitTraffic, commitUndo, type Permit, writeAccess } from './commit.ts';
export { clearOverride, overrideTraffic } from './override.ts';
export { type PlannedTraffic, planTraffic } from './plan.ts';
export { type PlannedChange, shownRepository } from './planned-edit.ts';
export type { TrafficDeps, TrafficOrder } from './traffic-deps.ts';
export { type PlannedUndo, planUndo, type UndoOrder } from './undo.ts';
export { type ServiceTraffic, showTraffic } from './view.ts';
