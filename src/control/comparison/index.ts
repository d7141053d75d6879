/**
 * comparison: one application compared. The desired manifests from Git, the live objects in the cluster, their differences,
 * and the
 * resource tree. The controller compares before it acts; the server compares when a client requests it.
 *
 * Invariants
 * (1) A comparison changes nothing, in Git or in the cluster, and may be repeated at any moment.
 * (2) Controller and server get the same result from the same state: there is one implementation.
 * (3) Users' health scripts take precedence; they run before anything is compared, and only for objects that have one.
 * (4) The project's permissions are evaluated here, before anything is rendered; the tree hides denied objects and
 *     everything below them.
 * (5) The cost of a tree is proportional to its changes: a node is built once for each version of its object.
 */

export {
  type ApplicationComparison,
  compareApplication,
  generateManifests,
  requiredKinds,
  scopeIn,
} from './compare-application.ts';
export type { ComparisonDeps } from './comparison-deps.ts';
export { currentHealth } from './current-health.ts';
export { customTypesIn } from './custom-types.ts';
export { type AppDestination, resolveDestination } from './destination.ts';
export { isClusterUnreachable, stageOf } from './failures.ts';
export { runHealthScripts, shippedHealthOnly } from './health.ts';
export { hostsIn } from './hosts.ts';
export { requestFor } from './request.ts';
export { trackedLiveObjects } from './tracked-live-objects.ts';
export { recordedIn, treeOf } from './tree.ts';
export { isUnchanged } from './unchanged.ts';
