import type { Check } from '../../check.ts';
import { containersOf, longRunning, podOf, valueAt } from '../../kinds.ts';

export const workloadMayRunAsRoot: Check = {
  id: 'workload-may-run-as-root',
  title: 'a pod may run as root',
  severity: 'note',
  why: 'without runAsNonRoot the image decides, and the next image may decide otherwise.',
  fix: 'set securityContext.runAsNonRoot: true on the pod',
  reads: longRunning,
  *find(object) {
    const pod = podOf(object);
    if (!pod || valueAt(pod.spec, ['securityContext', 'runAsNonRoot']) === true) return;
    const open = containersOf(object, ['containers']).filter(
      ({ container }) => valueAt(container, ['securityContext', 'runAsNonRoot']) !== true,
    );
    if (open.length > 0)
      yield {
        at: [...pod.path, 'securityContext'],
        message: `${object.kind} ${object.metadata.name} does not set runAsNonRoot: true`,
      };
  },
};
