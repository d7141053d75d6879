import { isObject } from '#base/std';
import { decline } from './decline.ts';
import { type FieldSpec, isSelected, specs, visitField } from './field-path.ts';

import { checkAnnotations, type KustomizeResource } from './resource.ts';
import type { Pairs } from './typed.ts';
import { checkText } from './values.ts';

const anything = [{}];
const replicationController = { kind: 'ReplicationController', version: 'v1' };
const deployment = { kind: 'Deployment' };
const replicaSet = { kind: 'ReplicaSet' };
const daemonSet = { kind: 'DaemonSet' };
const statefulSet = { kind: 'StatefulSet', group: 'apps' };
const job = { kind: 'Job', group: 'batch' };
const cronJob = { kind: 'CronJob', group: 'batch' };

/** `labels` without selectors and templates (sources KT-4). */
export const ownLabels: readonly FieldSpec[] = specs(anything, '+metadata/labels');

/** `labels` with templates. */
export const templateLabels: readonly FieldSpec[] = [
  ...ownLabels,
  ...specs(
    [replicationController, deployment, replicaSet, daemonSet, statefulSet, job],
    '+spec/template/metadata/labels',
  ),
  ...specs([statefulSet], '+spec/volumeClaimTemplates[]/metadata/labels'),
  ...specs([cronJob], '+spec/jobTemplate/metadata/labels +spec/jobTemplate/spec/template/metadata/labels'),
];

const affinities = ['podAffinity', 'podAntiAffinity'].flatMap((kind) => [
  `spec/template/spec/affinity/${kind}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels`,
  `spec/template/spec/affinity/${kind}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels`,
]);

/** `commonLabels`, and `labels` with selectors (sources KT-2). compat sources KT-3: any group's Service of version v1. */
export const allLabels: readonly FieldSpec[] = [
  ...templateLabels,
  ...specs([{ kind: 'Service', version: 'v1' }, replicationController], '+spec/selector'),
  ...specs([deployment, replicaSet, daemonSet, statefulSet], '+spec/selector/matchLabels'),
  ...specs(
    [{ ...deployment, group: 'apps' }, statefulSet],
    [...affinities, 'spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels'].join(' '),
  ),
  ...specs([job, { kind: 'PodDisruptionBudget', group: 'policy' }], 'spec/selector/matchLabels'),
  ...specs([cronJob], 'spec/jobTemplate/spec/selector/matchLabels'),
  ...specs(
    [{ kind: 'NetworkPolicy', group: 'networking.k8s.io' }],
    'spec/podSelector/matchLabels spec/ingress/from/podSelector/matchLabels spec/egress/to/podSelector/matchLabels',
  ),
];

/** `commonAnnotations` (sources KT-5). */
export const annotations: readonly FieldSpec[] = [
  ...specs(anything, '+metadata/annotations'),
  ...specs(
    [replicationController, deployment, replicaSet, daemonSet, { kind: 'StatefulSet' }, job],
    '+spec/template/metadata/annotations',
  ),
  ...specs(
    [cronJob],
    '+spec/jobTemplate/metadata/annotations +spec/jobTemplate/spec/template/metadata/annotations',
  ),
];

/** `commonAnnotations`. */
export function addAnnotations(
  resources: readonly KustomizeResource[],
  pairs: Pairs,
  fields: readonly FieldSpec[],
): void {
  checkAnnotations(pairs);
  addPairs(resources, pairs, fields);
}

/** Adds pairs to every object, in the fields that the specs name for its kind. */
export function addPairs(
  resources: readonly KustomizeResource[],
  pairs: Pairs,
  fields: readonly FieldSpec[],
): void {
  const added = Object.entries(pairs);
  if (added.length === 0) return;
  for (const [, value] of added) checkText(value);
  for (const resource of resources) {
    const own = fields.filter((spec) => isSelected(resource, spec));
    for (const pair of added) addPair(resource, pair, own, fields);
  }
}

/**
 * compat: where a pair is new, kustomize puts one shared value in all fields of an object, and a later change of it in
 * one field changes all. So we record which pairs are shared, and decline such changes.
 */
function addPair(
  resource: KustomizeResource,
  [key, value]: readonly [string, string],
  own: readonly FieldSpec[],
  fields: readonly FieldSpec[],
): void {
  const before = resource.shared.get(key);
  if (before && before.value !== value && before.by !== fields) decline(`the shared label ${key} changes`);
  let made = 0;
  for (const { path, create } of own) {
    visitField(resource, {
      path,
      create: create ? 'map' : undefined,
      found: ({ holder, key: at }) => {
        const map = holder[at];
        if (!isObject(map)) decline('labels that are no map');
        if (!Object.hasOwn(map, key)) made += 1;
        map[key] = value;
      },
    });
  }
  const by = before ? before.by : fields;
  if (made > 1 || before) {
    resource.shared = new Map(resource.shared).set(key, { value, by });
  }
}
