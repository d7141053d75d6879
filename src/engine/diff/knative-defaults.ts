import type { KubeObject } from '#model';
import { isObject, type JsonObject } from '#schema';
import { equal } from '#std';

/**
 * What Knative's webhook writes where Git says nothing: leaving one of these out and writing it come to the same. It
 * fills in lists too, which the server replaces whole, so a merge as the server does it would take them out again.
 */
const defaults: Readonly<Record<string, (value: unknown, owner: JsonObject) => boolean>> = {
  name: (value) => typeof value === 'string' && /^(user|init)-container(-\d+)?$/.test(value),
  resources: (value) => equal(value, {}),
  readinessProbe: (value) => equal(value, { successThreshold: 1, tcpSocket: { port: 0 } }),
  tcpSocket: (value) => equal(value, { port: 0 }),
  port: (value) => value === 0,
  successThreshold: (value) => value === 1,
  failureThreshold: (value) => value === 3,
  timeoutSeconds: (value) => value === 1,
  service: (value) => value === '',
  readOnly: (value) => value === true,
  latestRevision: (value, { revisionName }) => value === !revisionName,
};

const lists: readonly (readonly string[])[] = [
  ['spec', 'template', 'spec', 'containers'],
  ['spec', 'template', 'spec', 'initContainers'],
  ['spec', 'traffic'],
];

/** The target with Knative's own defaults in its containers and its traffic, as far as the live object has them. */
export function withKnativeDefaults(target: KubeObject, live: KubeObject): KubeObject {
  return lists.reduce<unknown>((next, path) => filledAt(next, live, path), target) as KubeObject;
}

function filledAt(target: unknown, live: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return filled(target, live);
  if (!isObject(target) || !isObject(live) || !Object.hasOwn(target, step)) return target;
  const next = filledAt(target[step], live[step], rest);
  return next === target[step] ? target : { ...target, [step]: next };
}

function filled(target: unknown, live: unknown): unknown {
  if (Array.isArray(target) && Array.isArray(live) && target.length === live.length)
    return target.map((item, at) => filled(item, live[at]));
  if (!isObject(target) || !isObject(live)) return target;
  const entries = Object.entries(live).flatMap(([name, value]): [string, unknown][] => {
    if (Object.hasOwn(target, name)) return [[name, filled(target[name], value)]];
    const isDefault = Object.hasOwn(defaults, name) && defaults[name]?.(value, target);
    return isDefault ? [[name, value]] : [];
  });
  return { ...target, ...Object.fromEntries(entries) };
}
