/**
 * controllers: the controllers a real cluster would run, so that workloads become ready in the embedded cluster.
 *
 * Scheduler, kubelet, controller manager and Knative Serving, each kind in a file of its own:
 * `reconcile(context, object)` compares desired and actual state and takes the steps that are due. No process runs;
 * the image, the command or an annotation decides what a container does (docs/embedded-cluster.md).
 *
 * Invariants
 * (1) Objects are the only truth. State in memory makes a pass quicker or a delay more exact; a process that is
 *     killed between any two writes continues where it stopped.
 * (2) A pass may run at any moment, any number of times; a pass without a due step writes nothing. At most one
 *     pass works on an object at a time.
 * (3) Time is `ctx.clock`, randomness is the seed: the same cluster at the same time gets the same delays, names
 *     and addresses, in whatever order things happen.
 * (4) When nothing changes nothing runs. One timer serves all appointments, and there is none without them.
 * (5) Every step of a transition is a write of its own, with the field manager of its real controller, so that
 *     watches and managedFields show the same as in a real cluster.
 *
 * Refused: traffic, metrics, resource limits, taints and node selectors. A manifest's demands on real nodes cannot
 * be rehearsed here, so every pod fits.
 */
export { admitKnative } from './knative/admission.ts';
export { installDefinitions } from './knative/definitions.ts';
export { createPodLogs } from './pod/logs.ts';
export { createSimulation, runSimulation } from './simulation.ts';
