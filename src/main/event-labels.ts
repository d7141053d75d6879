import type { AppProject, KubeObject, Settings } from '#base/model';
import { compileGlob, isObject } from '#base/std';

type Labels = Readonly<Record<string, string>>;

type EventLabelDeps = {
  readonly settings: { readonly current: { readonly resources: EventLabelKeys } };
  readonly projects: { get(namespace: string, name: string): AppProject | undefined };
  /** Of the projects. */
  readonly namespace: string;
};
type EventLabelKeys = Pick<Settings['resources'], 'includeEventLabelKeys' | 'excludeEventLabelKeys'>;

/**
 * compat server §7.4: the labels of an object, and of its project where it has one, whose keys `resource.includeEventLabelKeys` matches
 * and `resource.excludeEventLabelKeys` does not.
 */
export const eventLabelsBy =
  ({ settings, projects, namespace }: EventLabelDeps) =>
  ({ metadata, spec }: KubeObject): Labels => {
    const { includeEventLabelKeys: wanted, excludeEventLabelKeys: unwanted } = settings.current.resources;
    if (wanted.length === 0) return {};
    const name = isObject(spec) && typeof spec.project === 'string' ? spec.project : '';
    const project = name === '' ? undefined : projects.get(namespace, name);
    const all = { ...project?.metadata.labels, ...metadata.labels };
    const isOne = (keys: readonly string[], key: string): boolean =>
      keys.some((pattern) => compileGlob(pattern)?.(key));
    return Object.fromEntries(
      Object.entries(all).filter(([key]) => isOne(wanted, key) && !isOne(unwanted, key)),
    );
  };
