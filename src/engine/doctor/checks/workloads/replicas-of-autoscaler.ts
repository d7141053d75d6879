import type { KubeObject } from '#base/model';
import type { Check } from '../../check.ts';
import { rollout, textAt, valueAt } from '../../kinds.ts';

const targets = (scaler: KubeObject, object: KubeObject): boolean =>
  textAt(scaler, ['spec', 'scaleTargetRef', 'name']) === object.metadata.name &&
  textAt(scaler, ['spec', 'scaleTargetRef', 'kind']) === object.kind &&
  (scaler.metadata.namespace ?? '') === (object.metadata.namespace ?? '');

/** A Rollout that takes its template from the object, and scales the object down. */
const scalesDown = (one: KubeObject, object: KubeObject): boolean =>
  textAt(one, ['spec', 'workloadRef', 'name']) === object.metadata.name &&
  textAt(one, ['spec', 'workloadRef', 'kind']) === object.kind &&
  ['onsuccess', 'progressively'].includes(textAt(one, ['spec', 'workloadRef', 'scaleDown']) ?? '');

/** compat rollouts RC-7. */
export const replicasOfAutoscaler: Check = {
  id: 'replicas-of-autoscaler',
  title: 'Git declares the replicas that a controller sets',
  severity: 'warning',
  why: 'two owners write one field: every sync scales the workload back, and self-heal does it at once.',
  fix: 'remove spec.replicas, or ignore /spec/replicas with RespectIgnoreDifferences=true',
  reads: ['apps/Deployment', 'apps/StatefulSet', 'apps/ReplicaSet', rollout],
  *find(object, inventory) {
    if (valueAt(object, ['spec', 'replicas']) === undefined) return;
    const scaler =
      [
        ...inventory.all('autoscaling/HorizontalPodAutoscaler'),
        ...inventory.all('keda.sh/ScaledObject'),
      ].find((one) => targets(one, object)) ?? inventory.all(rollout).find((one) => scalesDown(one, object));
    if (scaler)
      yield {
        at: ['spec', 'replicas'],
        message: `spec.replicas of ${object.metadata.name} is also set by the ${scaler.kind} ${scaler.metadata.name}`,
      };
  },
};
