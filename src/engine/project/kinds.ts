import { type AppProject, groupOf, type KubeObject, type ResourceRule } from '#base/model';
import { pathMatch } from '../glob.ts';
import { denyDestination, type ResolvedDestination } from './destinations.ts';

type Wanted = { readonly group: string; readonly kind: string; readonly name: string };

/** compat engine P-14, P-15: namespaced kinds are open until a whitelist is written, cluster-wide kinds closed. */
export function denyKind(project: AppProject, wanted: Wanted, namespaced: boolean): string | undefined {
  const { spec } = project;
  const kind = `${wanted.group || 'core'}/${wanted.kind}`;
  const lists = namespaced
    ? { white: spec.namespaceResourceWhitelist ?? undefined, black: spec.namespaceResourceBlacklist ?? [] }
    : { white: spec.clusterResourceWhitelist ?? [], black: spec.clusterResourceBlacklist ?? [] };
  const scope = namespaced ? 'namespace' : 'cluster';
  const covers = (rule: ResourceRule): boolean => isCovered(wanted, rule, namespaced);
  if (lists.black.some(covers)) {
    return `project ${project.metadata.name} denies ${kind} by spec.${scope}ResourceBlacklist`;
  }
  if (lists.white === undefined || lists.white.some(covers)) return undefined;
  return `project ${project.metadata.name} does not permit ${kind}; add it to spec.${scope}ResourceWhitelist`;
}

function isCovered({ group, kind, name }: Wanted, rule: ResourceRule, namespaced: boolean): boolean {
  const named = namespaced || !rule.name || pathMatch(rule.name, name);
  return named && pathMatch(rule.group, group) && pathMatch(rule.kind, kind);
}

/** Why a project denies one object at one destination, or undefined. compare() and planTasks() call it. */
export function denyObject(
  project: AppProject,
  object: KubeObject,
  namespaced: boolean,
  cluster: Omit<ResolvedDestination, 'namespace'>,
): string | undefined {
  const { name, namespace } = object.metadata;
  const denied = denyKind(project, { group: groupOf(object), kind: object.kind, name }, namespaced);
  if (denied || !namespaced || !namespace) return denied;
  return denyDestination(project, { ...cluster, namespace });
}
