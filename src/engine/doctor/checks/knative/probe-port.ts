import type { KubeObject } from '#base/model';
import { type ProbeFault, probeFaults } from '#engine';
import type { Check, Flaw, Inventory } from '../../check.ts';
import { knativeKinds } from '../../kinds.ts';
import { knativeFeature } from '../../knative-settings.ts';

/** The facts about probes are in `engine/health/probe-ports.ts`. */
const faultsIn = (object: KubeObject, inventory: Inventory, lacks: ProbeFault['lacks']): ProbeFault[] =>
  probeFaults(object, knativeFeature(inventory, 'multi-container-probing')).filter(
    (fault) => fault.lacks === lacks,
  );

const flawOf = ({ probe, words, path, port, problem, fix }: ProbeFault): Flaw => ({
  at: path,
  message: `the ${probe} of ${words} ${problem}`,
  fix,
  ...(port !== undefined && { mend: { path: [...path, 'port'], value: port } }),
});

/** compat engine X-9, point 6 of the users' Knative checklist. */
export const knativeProbePort: Check = {
  id: 'knative-probe-port',
  title: 'a probe names no port where Knative needs one',
  severity: 'error',
  why: 'Knative refuses it, or Kubernetes refuses the Deployment, and the Revision never gets a pod. On the serving container Knative fills in the port of a readiness probe, and of a liveness probe by HTTP or TCP.',
  fix: "set it to the container's port",
  reads: knativeKinds,
  onApplication: 'errors',
  *find(object, inventory) {
    for (const fault of faultsIn(object, inventory, 'port')) yield flawOf(fault);
  },
};

/** An error only where the settings of Knative are known: without them it is refused by most installations, not by all. */
export const knativeSidecarProbe: Check = {
  id: 'knative-sidecar-probe',
  title: 'a probe is on a container beside the serving one',
  severity: 'warning',
  why: 'the webhook of Knative refuses the Service, unless multi-container-probing is enabled.',
  fix: 'remove it, or enable multi-container-probing in ConfigMap knative-serving/config-features',
  reads: knativeKinds,
  *find(object, inventory) {
    const isKnown = knativeFeature(inventory, 'multi-container-probing') !== undefined;
    for (const fault of faultsIn(object, inventory, 'feature'))
      yield { ...flawOf(fault), ...(isKnown && { severity: 'error' }) };
  },
};
