import type { AppProject, KubeObject, SyncWindow } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { ClusterMember, Clusters } from '#control/live';
import { type Action, globalsOf, viewWindows } from '#engine';
import type { DetailedProject, LinkList, ProjectList } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { applicationsOn } from '../clusters/applications-on.ts';
import { clusterView } from '../clusters/cluster-view.ts';
import type { MethodDeps } from '../deps.ts';
import { evaluateLinks } from '../links.ts';
import { storedRepositories, storedTemplates } from '../repositories/repository-secrets.ts';
import { repositoryView } from '../repositories/repository-view.ts';
import type { ProjectTokenDeps } from './project-tokens.ts';

export type ProjectDeps = Pick<MethodDeps, 'kube' | 'apps' | 'context' | 'raise'> & {
  readonly projects: ProjectTokenDeps['projects'] & {
    list(): AppProject[];
    drop(project: AppProject): void;
  };
  readonly clusters: Pick<Clusters, 'members' | 'resolve'>;
};

export const onProject = (action: string, name: string): Action => ({
  resource: 'projects',
  action,
  object: name,
});

/** compat server §2.8: checked before the project is read, so that absent and forbidden are the same. */
export function findProject(
  { projects, context }: Pick<ProjectDeps, 'projects' | 'context'>,
  { params, permissions }: MethodCall,
  action: string,
): AppProject {
  const { name = '' } = params;
  permissions.require(onProject(action, name));
  const found = projects.get(context.namespace, name);
  if (!found) throw new FairleadError('NotFound', `appprojects.argoproj.io "${name}" not found`);
  return found;
}

/** Complete and sorted by name. */
export async function list(
  _ctx: Ctx,
  { projects }: ProjectDeps,
  { query, permissions }: MethodCall,
): Promise<ProjectList> {
  permissions.waive(); // what the caller may not get is left out
  const wanted = query.get('name');
  const items = projects
    .list()
    .filter(({ metadata }) => !wanted || metadata.name === wanted)
    .filter(({ metadata }) => permissions.may(onProject('get', metadata.name)))
    .sort(byName);
  return { metadata: {}, items };
}

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1);

export async function get(_ctx: Ctx, deps: ProjectDeps, call: MethodCall): Promise<AppProject> {
  return findProject(deps, call, 'get');
}

export async function globals(
  _ctx: Ctx,
  deps: ProjectDeps,
  call: MethodCall,
): Promise<{ items: readonly AppProject[] }> {
  return { items: globalsFor(deps, call, findProject(deps, call, 'get')) };
}

/** The roles and tokens of a project are for callers that may get that very project. */
function globalsFor(
  { context }: ProjectDeps,
  { permissions }: MethodCall,
  project: AppProject,
): AppProject[] {
  const named = (name: string) => context.projects.get(context.namespace, name);
  return globalsOf(project, context.settings().globalProjects, named).map((global) => {
    if (permissions.may(onProject('get', global.metadata.name))) return global;
    const { status: _status, ...shown } = global;
    const { roles: _roles, ...spec } = global.spec;
    return { ...shown, spec };
  });
}

/** compat server §2.8: with the repositories and clusters that are scoped to it, without credentials. */
export async function detailed(ctx: Ctx, deps: ProjectDeps, call: MethodCall): Promise<DetailedProject> {
  const project = findProject(deps, call, 'get');
  const { name } = project.metadata;
  const reading = { kube: deps.kube, namespace: deps.context.namespace };
  const stored = await storedRepositories(ctx, reading, 'repository');
  const templates = (await storedTemplates(ctx, reading, 'repo-creds')).map(({ record }) => record);
  const members = deps.clusters.members().filter(({ record }) => record.project === name);
  const view = (member: ClusterMember) => clusterView(ctx, member, applicationsOn(deps, member.record));
  return {
    project,
    globalProjects: globalsFor(deps, call, project),
    repositories: stored
      .filter(({ record }) => record.project === name)
      .map(({ record }) => repositoryView(record, templates)),
    clusters: await Promise.all(members.map(view)),
  };
}

/** The Kubernetes Events about the project. */
export async function events(
  ctx: Ctx,
  deps: ProjectDeps,
  call: MethodCall,
): Promise<{ items: readonly KubeObject[] }> {
  const { name, namespace, uid } = findProject(deps, call, 'get').metadata;
  const about = { kind: 'AppProject', name, namespace, uid };
  const fieldSelector = Object.entries(about)
    .flatMap(([field, value]) => (value ? [`involvedObject.${field}=${value}`] : []))
    .join(',');
  const from = { apiVersion: 'v1', kind: 'Event', namespace };
  const { items } = await deps.kube.list(ctx, from, { fieldSelector });
  return { items: [...items] };
}

/** compat server §2.8: those that are open now. */
export async function windows(
  { clock }: Ctx,
  deps: ProjectDeps,
  call: MethodCall,
): Promise<{ windows: readonly SyncWindow[] }> {
  const { spec } = findProject(deps, call, 'get');
  const views = viewWindows(spec.syncWindows, clock.now());
  return { windows: views.filter(({ open }) => open).map(({ window }) => window) };
}

/** compat server §2.8: `project.links` for this project; its roles and their tokens are not for links. */
export async function links(ctx: Ctx, deps: ProjectDeps, call: MethodCall): Promise<LinkList> {
  const { metadata, spec } = findProject(deps, call, 'get');
  const { roles: _roles, ...shown } = spec;
  const objects = { project: { metadata, spec: shown } };
  return evaluateLinks(deps.context.settings().links.project, objects, (title, problem) =>
    ctx.log.warn('link left out', { setting: 'project.links', title, project: metadata.name, problem }),
  );
}
