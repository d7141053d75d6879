import { portlessProbes } from '#engine';
import type { Check } from '../../check.ts';
import { knativeKinds } from '../../kinds.ts';

/** compat engine X-9, point 6 of the users' Knative checklist. The facts about probes are in `engine/health/probe-ports.ts`. */
export const knativeProbePort: Check = {
  id: 'knative-probe-port',
  title: 'a probe names no port where Knative needs one',
  severity: 'error',
  why: 'Knative writes port 0 for it, and Kubernetes refuses the Deployment: the Revision never gets a pod. It fills in the port of a readiness probe, and of a liveness probe by HTTP or TCP.',
  fix: "set it to the container's port",
  reads: knativeKinds,
  onApplication: true,
  *find(object) {
    for (const { probe, container, path, port } of portlessProbes(object)) {
      const words = container ? `container ${container}` : 'its container';
      yield {
        at: path,
        message: `the ${probe} of ${words} names no port, and Knative makes it 0, which is refused`,
        ...(port !== undefined && { mend: { path: [...path, 'port'], value: port } }),
      };
    }
  },
};
