import { groupOf, type KubeObject } from '#base/model';
import { isObject } from '#kubernetes/schema';
import { without } from './pointer.ts';

type Sides = {
  readonly target: KubeObject;
  readonly live: KubeObject;
  readonly applied: KubeObject | undefined;
};

const writers = ['creator', 'lastModifier'] as const;

/**
 * Fields that Knative writes into its own objects never count as differences: the status, the creator and
 * last modifier annotations, and the traffic split as long as Git does not declare one. Declared traffic
 * belongs to Git and is compared like any field.
 */
export function normalizeKnative(sides: Sides): Sides {
  const group = groupOf(sides.target);
  if (!isKnative(group)) return sides;
  const paths = [
    ['status'],
    ...writers.map((writer) => ['metadata', 'annotations', `${group}/${writer}`]),
    ...(ownsTraffic(sides.target) ? [] : [['spec', 'traffic']]),
  ];
  const stripped = (object: KubeObject): KubeObject =>
    paths.reduce<KubeObject>((rest, path) => without(rest, path), object);
  return {
    target: stripped(sides.target),
    live: stripped(sides.live),
    applied: sides.applied && stripped(sides.applied),
  };
}

const isKnative = (group: string): boolean => group === 'knative.dev' || group.endsWith('.knative.dev');

function ownsTraffic({ spec }: KubeObject): boolean {
  return isObject(spec) && spec.traffic !== undefined && spec.traffic !== null;
}
