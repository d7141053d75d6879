/**
 * simulate: the controllers a real cluster would run, so that workloads become ready in the embedded cluster.
 *
 * Scheduler, kubelet, controller manager and Knative Serving, each kind a file of its own: `reconcile(world, object)`
 * looks at what is there and takes the steps that are due. Nothing runs in earnest; what a container would do is told
 * by its image, its command or an annotation (docs/embedded-cluster.md).
 *
 * Invariants
 * (1) Objects are the only truth. Whatever is kept in memory makes a pass quicker or a delay exacter; a process that is
 *     killed between any two writes goes on where it stopped.
 * (2) A pass may run at any moment, any number of times; one that finds nothing to do writes nothing. An object is in
 *     the hands of one pass at a time.
 * (3) Time is `ctx.clock`, chance is the seed: the same cluster in the same time lives through the same delays, names
 *     and addresses, in whatever order things happen.
 * (4) When nothing changes nothing runs. One sleeping timer serves all appointments, and there is none without them.
 * (5) Every step of a transition is a write of its own, under the name its real controller writes as, so that watchers
 *     and managedFields see what they would see in a real cluster.
 *
 * Refused: traffic, metrics, resource limits, taints and node selectors. What a manifest asks of real nodes cannot be
 * rehearsed here, so every pod fits.
 */
export { admitKnative } from './knative/admission.ts';
export { installDefinitions } from './knative/definitions.ts';
export { createPodLogs } from './pod/logs.ts';
export { createSimulation, runSimulation } from './simulation.ts';
