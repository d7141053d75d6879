import { groupOf, type KubeObject } from '#base/model';
import { isObject, type JsonObject } from '#base/std';
import type { FieldPath } from './check.ts';

/** The kind as checks write it: `apps/Deployment`, `Secret`. */
export const kindKey = (object: Pick<KubeObject, 'apiVersion' | 'kind'>): string => {
  const group = groupOf(object);
  return group === '' ? object.kind : `${group}/${object.kind}`;
};

export const application = 'argoproj.io/Application';
export const applicationSet = 'argoproj.io/ApplicationSet';
export const project = 'argoproj.io/AppProject';
export const rollout = 'argoproj.io/Rollout';
export const knativeService = 'serving.knative.dev/Service';
export const knativeKinds = [
  knativeService,
  'serving.knative.dev/Configuration',
  'serving.knative.dev/Revision',
] as const;

/** The path of the pod's spec, by kind. */
const podPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  'apps/Deployment': ['spec', 'template', 'spec'],
  'apps/StatefulSet': ['spec', 'template', 'spec'],
  'apps/DaemonSet': ['spec', 'template', 'spec'],
  'apps/ReplicaSet': ['spec', 'template', 'spec'],
  'batch/Job': ['spec', 'template', 'spec'],
  'batch/CronJob': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  [rollout]: ['spec', 'template', 'spec'],
  [knativeService]: ['spec', 'template', 'spec'],
  'serving.knative.dev/Configuration': ['spec', 'template', 'spec'],
  'serving.knative.dev/Revision': ['spec'],
};

/** Every kind that runs containers. */
export const podKinds: readonly string[] = Object.keys(podPaths);
/** Those that run until they are deleted, and are not Knative's. */
export const longRunning = ['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', rollout] as const;

/** The value at a path; undefined where it leads nowhere. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (typeof step === 'number') at = Array.isArray(at) ? at[step] : undefined;
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at;
}

export const objectAt = (value: unknown, path: FieldPath): JsonObject => {
  const found = valueAt(value, path);
  return isObject(found) ? found : {};
};
export const listAt = (value: unknown, path: FieldPath): readonly unknown[] => {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
};
export const textAt = (value: unknown, path: FieldPath): string | undefined => {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
};
export const textsAt = (value: unknown, path: FieldPath): readonly string[] =>
  listAt(value, path).filter((one) => typeof one === 'string');

/** The spec of the pods that an object runs, and where it is. */
export function podOf(
  object: KubeObject,
): { readonly path: FieldPath; readonly spec: JsonObject } | undefined {
  const path = podPaths[kindKey(object)];
  const spec = path && valueAt(object, path);
  return path && isObject(spec) ? { path, spec } : undefined;
}

export type ContainerPlace = {
  readonly path: FieldPath;
  readonly container: JsonObject;
  /** `container web`, or what can be said of one without a name. */
  readonly words: string;
};

/** The containers of an object, those that only start it last. */
export function containersOf(
  object: KubeObject,
  lists: readonly string[] = ['containers', 'initContainers'],
): ContainerPlace[] {
  const pod = podOf(object);
  if (!pod) return [];
  return lists.flatMap((list) => {
    const all = listAt(pod.spec, [list]);
    return all.flatMap((container, at): ContainerPlace[] => {
      if (!isObject(container)) return [];
      const words = wordsFor(container.name, at, all.length);
      return [{ path: [...pod.path, list, at], container, words }];
    });
  });
}

function wordsFor(name: unknown, at: number, count: number): string {
  if (typeof name === 'string' && name !== '') return `container ${name}`;
  return count === 1 ? 'its container' : `container ${at + 1}`;
}

/** A text that an ApplicationSet fills in. */
export const isTemplated = (text: unknown): boolean => typeof text === 'string' && text.includes('{{');

/** Names that people give to what their customers use. */
export const isProduction = (...names: readonly (string | undefined)[]): boolean =>
  names.some((name) => name !== undefined && /(?:^|[^a-z])(?:prod|production|live)(?:[^a-z]|$)/i.test(name));
