import { equal } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { qualityOf } from '../write/quality.ts';
import type { FieldCheck } from './check.ts';
import { checkEphemeralContainers } from './container.ts';
import { checkPod } from './pod.ts';
import { checkVolumes } from './volume.ts';

/** compat cluster 3.13: the requirements for new pods only. */
export function checkNewPod(pod: FieldCheck): void {
  const added = pod.field('spec').field('ephemeralContainers');
  if (added.items().length > 0) added.forbidden('cannot be set on create');
}

const namesOf = (list: FieldCheck): string[] => list.items().map((item) => item.field('name').text);

/** compat cluster 3.8: `ephemeralcontainers` adds containers; existing ones cannot change. */
export function checkAddedContainers(next: FieldCheck, live: FieldCheck): void {
  const [spec, old] = [next.field('spec'), live.field('spec')];
  const added = spec.field('ephemeralContainers');
  checkEphemeralContainers(added, {
    volumes: checkVolumes(spec.field('volumes')),
    names: new Set([...namesOf(spec.field('containers')), ...namesOf(spec.field('initContainers'))]),
    hostNetwork: false,
  });
  const now = new Map(added.items().map((item) => [item.field('name').text, item.value]));
  for (const before of old.field('ephemeralContainers').items()) {
    const { text: name } = before.field('name');
    const quoted = `existing ephemeral containers ${JSON.stringify(name)}`;
    if (!now.has(name)) added.forbidden(`${quoted} may not be removed\n`);
    else if (!equal(now.get(name), before.value)) added.forbidden(`${quoted} may not be changed\n`);
  }
}

/** compat cluster 3.8: `resize` changes CPU and memory of a pod, and keeps its QoS class. */
export function checkResize(next: FieldCheck, live: FieldCheck): void {
  const [spec, old] = [next.field('spec'), live.field('spec')];
  const before = spec.errors.length;
  checkPod(next);
  if (spec.errors.length > before) return;
  const quality = qualityOf(old.value);
  if (qualityOf(spec.value) !== quality) {
    spec.invalid('Pod QOS Class may not change as a result of resizing', quality);
  }
  const [containers, olds] = [spec.field('containers').items(), old.field('containers').items()];
  for (const [index, container] of containers.entries()) {
    const was = olds[index];
    if (was) checkKept(container.field('resources'), was.field('resources'));
  }
  const isFixed = containers.every((container, index) =>
    equal(othersOf(container.field('resources')), othersOf(olds[index]?.field('resources'))),
  );
  if (!isFixed) spec.forbidden('only cpu and memory resources are mutable');
}

function checkKept(resources: FieldCheck, old: FieldCheck): void {
  for (const field of ['requests', 'limits']) {
    const [now, was] = [resources.field(field), old.field(field)];
    const isLost = Object.keys(was.object).some((name) => !Object.hasOwn(now.object, name));
    if (isLost) now.forbidden(`resource ${field} cannot be removed`);
  }
}

/** The fields that may not change: all but CPU and memory. */
function othersOf(resources: FieldCheck | undefined): JsonObject {
  const { limits, requests, ...rest } = resources?.object ?? {};
  return { ...rest, limits: withoutMutable(limits), requests: withoutMutable(requests) };
}

const withoutMutable = (amounts: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isObject(amounts) ? amounts : {}).filter(([name]) => name !== 'cpu' && name !== 'memory'),
  );
