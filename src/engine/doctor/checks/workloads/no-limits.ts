import type { Check } from '../../check.ts';
import { containersOf, longRunning, valueAt } from '../../kinds.ts';

export const workloadNoLimits: Check = {
  id: 'workload-no-limits',
  title: 'a container has no resource limits',
  severity: 'note',
  why: 'one container can take the memory and the cores of its whole node.',
  fix: 'set resources.limits, at least for memory',
  reads: longRunning,
  *find(object) {
    for (const { path, container, words } of containersOf(object, ['containers'])) {
      if (valueAt(container, ['resources', 'limits']) !== undefined) continue;
      yield { at: [...path, 'resources'], message: `${words} has no resources.limits` };
    }
  },
};
