/**
 * look: one application seen whole. What Git declares, what the cluster holds, how they compare, and the tree of what
 * hangs below. The controller looks before it acts; the server looks when somebody asks.
 *
 * Invariants
 * (1) A look changes nothing, in Git or in the cluster, and may be repeated at any moment.
 * (2) Both readers get the same answer from the same state: there is one look.
 * (3) Health is judged by users' scripts first; they run before anything is compared, and only for objects that have one.
 * (4) What the project does not permit is decided here, before anything is rendered, and hidden from the tree with
 *     everything below it.
 * (5) A tree costs what changed in it: a node is drawn once for each state of its object.
 */

export {
  type ApplicationComparison,
  compareApplication,
  requiredKinds,
  scopeIn,
} from './compare-application.ts';
export type { ComparisonDeps } from './comparison-deps.ts';
export { currentHealth } from './current-health.ts';
export { customTypesIn } from './custom-types.ts';
export { type AppDestination, resolveDestination } from './destination.ts';
export { isUnreachable, stageOf } from './failures.ts';
export { runHealthScripts, shippedHealthOnly } from './health.ts';
export { hostsIn } from './hosts.ts';
export { trackedLiveObjects } from './tracked-live-objects.ts';
export { recordedIn, treeOf } from './tree.ts';
export { isUnchanged } from './unchanged.ts';
