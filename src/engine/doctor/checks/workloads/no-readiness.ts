import type { Check } from '../../check.ts';
import { containersOf, rollout, valueAt } from '../../kinds.ts';

export const workloadNoReadiness: Check = {
  id: 'workload-no-readiness',
  title: 'a container has no readiness probe',
  severity: 'note',
  why: 'a pod gets traffic as soon as it has started, and a sync is Healthy before the program answers.',
  fix: 'add a readinessProbe',
  reads: ['apps/Deployment', 'apps/StatefulSet', rollout],
  *find(object) {
    const all = containersOf(object, ['containers']);
    if (all.length === 0 || all.some(({ container }) => valueAt(container, ['readinessProbe']) !== undefined))
      return;
    const [first] = all;
    if (first)
      yield { at: first.path, message: `no container of ${object.metadata.name} has a readinessProbe` };
  },
};
