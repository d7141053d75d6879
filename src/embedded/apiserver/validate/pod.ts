import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import type { FieldCheck } from './check.ts';
import { checkPodSpec } from './pod-spec.ts';

export const checkPod = (pod: FieldCheck): void => checkPodSpec(pod.field('spec'));

/** compat cluster 3.8: of a pod little more than the images may change. */
export function keepPod(next: FieldCheck, live: FieldCheck): void {
  const [spec, old] = [next.field('spec'), live.field('spec')];
  for (const list of ['containers', 'initContainers']) {
    if (spec.field(list).items().length === old.field(list).items().length) continue;
    spec.field(list).forbidden('pod updates may not add or remove containers');
    return;
  }
  const limit = spec.field('activeDeadlineSeconds');
  const before = old.field('activeDeadlineSeconds').value;
  if (before !== undefined && limit.value === undefined)
    limit.invalid('must not update from a positive integer to nil value');
  if (Number(limit.value ?? 0) > Number(before ?? Number.POSITIVE_INFINITY)) {
    limit.invalid('must be less than or equal to previous value');
    return;
  }
  if (equal(fixedPodSpec(spec.object), fixedPodSpec(old.object)) && keepsGrace(spec, old)) return;
  spec.forbidden(
    'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
  );
}

function keepsGrace(spec: FieldCheck, old: FieldCheck): boolean {
  const [now, before] = [spec, old].map((one) => one.field('terminationGracePeriodSeconds').value);
  return now === before || (Number(before) < 0 && now === 1);
}

const mayChange = new Set(['activeDeadlineSeconds', 'terminationGracePeriodSeconds', 'tolerations']);

/** compat cluster 3.8: the scheduling fields of a gated pod may still change. */
const gated = new Set(['schedulingGates', 'nodeSelector', 'affinity']);

function fixedPodSpec({ containers, initContainers, ...rest }: JsonObject): JsonObject {
  const withoutImages = (list: unknown) =>
    Array.isArray(list) ? list.map((item) => (isObject(item) ? { ...item, image: '' } : item)) : list;
  const isGated = Array.isArray(rest.schedulingGates) && rest.schedulingGates.length > 0;
  const kept = Object.entries(rest).filter(([key]) => !mayChange.has(key) && !(isGated && gated.has(key)));
  return {
    ...Object.fromEntries(kept),
    containers: withoutImages(containers),
    initContainers: withoutImages(initContainers),
  };
}
