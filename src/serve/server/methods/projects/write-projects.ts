import { type AppProject, argoApiVersion, readProject } from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { denyProjectDeletion, projectProblems } from '#engine';
import { hasReason } from '#kubernetes/client';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import { requireStillPermitted } from './project-effects.ts';
import { findProject, onProject, type ProjectDeps } from './read-projects.ts';

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

type Creation = { readonly project: AppProject; readonly upsert?: boolean | undefined };

/** compat server §2.8: the same spec again is accepted, another one needs `upsert` and the right to update. */
export async function create(ctx: Ctx, deps: ProjectDeps, call: MethodCall<Creation>): Promise<AppProject> {
  const { permissions, body } = call;
  const given = readGiven(deps, body.project);
  const { name } = given.metadata;
  permissions.require(onProject('create', name));
  requireValid(given);
  const existing = deps.projects.get(deps.context.namespace, name);
  if (!existing) {
    const { status: _status, ...fresh } = given;
    const { labels, annotations, finalizers, namespace } = given.metadata;
    const metadata = {
      ...{ name, namespace },
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
    };
    const created = (await deps.kube.create(ctx, { ...fresh, metadata } as AppProject)) as AppProject;
    deps.projects.put(created);
    await report(ctx, deps, call, { project: created, reason: 'ResourceCreated', done: 'created project' });
    return created;
  }
  if (!permissions.may(onProject('get', name))) throw hidden();
  if (equal(existing.spec, given.spec) && !body.upsert) return existing;
  if (!body.upsert) throw invalid('existing project spec is different, use upsert flag to force update');
  return replace(ctx, deps, call, { existing, given });
}

/** compat server §2.8: a given resourceVersion must be the newest; without one the newest is replaced. */
export async function update(
  ctx: Ctx,
  deps: ProjectDeps,
  call: MethodCall<{ readonly project: AppProject }>,
): Promise<AppProject> {
  const existing = findProject(deps, call, 'update');
  const given = readGiven(deps, call.body.project);
  if (given.metadata.name !== existing.metadata.name)
    throw invalid(
      `the path names project ${existing.metadata.name}, the body ${given.metadata.name}: send the same name in both`,
    );
  requireValid(given);
  return replace(ctx, deps, call, { existing, given });
}

/** compat server §2.8: refused while applications use it. */
export async function remove(ctx: Ctx, deps: ProjectDeps, call: MethodCall): Promise<Record<string, never>> {
  const project = findProject(deps, call, 'delete');
  const { namespace } = deps.context;
  const denied = denyProjectDeletion(project, deps.apps.list(), namespace);
  if (denied) throw invalid(denied);
  const { name } = project.metadata;
  const left = await deps.kube.delete(ctx, {
    apiVersion: argoApiVersion,
    kind: 'AppProject',
    namespace,
    name,
  });
  if (!left) deps.projects.drop(project);
  await report(ctx, deps, call, { project, reason: 'ResourceDeleted', done: 'deleted project' });
  return {};
}

/** Throws InvalidSpec with every field that cannot be read. */
function readGiven({ context }: ProjectDeps, body: AppProject): AppProject {
  const { name, namespace = context.namespace } = body.metadata ?? {};
  if (typeof name !== 'string' || name === '') throw invalid('project.metadata.name is missing');
  if (namespace !== context.namespace)
    throw invalid(`projects are in the namespace ${context.namespace}: leave metadata.namespace out`);
  const typed = { ...body, apiVersion: argoApiVersion, kind: 'AppProject' };
  const read = readProject({ ...typed, metadata: { ...body.metadata, namespace } });
  if (read.unreadable) throw invalid(read.unreadable.join('; '));
  return read;
}

function requireValid(project: AppProject): void {
  const problems = projectProblems(project);
  if (problems.length > 0) throw invalid(`error validating project: ${problems.join('; ')}`);
}

type Replacement = { readonly existing: AppProject; readonly given: AppProject };

/** Again when another writer was faster, unless the caller named the version that it replaces. */
async function replace(
  ctx: Ctx,
  deps: ProjectDeps,
  call: MethodCall,
  { existing, given }: Replacement,
): Promise<AppProject> {
  const { resourceVersion } = given.metadata;
  for (let before = existing; ; ) {
    call.permissions.require(onProject('update', before.metadata.name));
    requireStillPermitted(deps, call.permissions, { before, after: given });
    try {
      const next = merged(before, given, resourceVersion);
      const written = (await deps.kube.update(ctx, next)) as AppProject;
      deps.projects.put(written);
      await report(ctx, deps, call, { project: written, reason: 'ResourceUpdated', done: 'updated project' });
      return written;
    } catch (error) {
      if (resourceVersion || !hasReason(error, 'Conflict')) throw error;
      const { name, namespace } = before.metadata;
      const ref = { apiVersion: argoApiVersion, kind: 'AppProject', namespace, name };
      before = readProject(await deps.kube.get(ctx, ref));
    }
  }
}

/** The tokens of roles that are no longer there are dropped: a role of the same name that is added later starts without. */
function merged(before: AppProject, given: AppProject, resourceVersion: string | undefined): AppProject {
  const { labels, annotations, finalizers } = given.metadata;
  const roles = new Set(given.spec.roles?.map(({ name }) => name));
  const { jwtTokensByRole = {}, ...rest } = before.status ?? {};
  const tokens = Object.fromEntries(Object.entries(jwtTokensByRole).filter(([role]) => roles.has(role)));
  return {
    ...before,
    metadata: {
      ...before.metadata,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(resourceVersion && { resourceVersion }),
    },
    spec: given.spec,
    ...(before.status && { status: { ...rest, jwtTokensByRole: tokens } }),
  };
}

type Done = {
  readonly project: AppProject;
  readonly reason: 'ResourceCreated' | 'ResourceUpdated' | 'ResourceDeleted';
  readonly done: string;
};

/** compat server §7.4: an Event and a log line with the user. */
async function report(
  ctx: Ctx,
  deps: ProjectDeps,
  { user }: MethodCall,
  { project, reason, done }: Done,
): Promise<void> {
  const name = user?.username ?? '';
  ctx.log.info(done, { project: project.metadata.name, user: name });
  const message = `${name || 'Unknown user'} ${done}`;
  await deps.raise?.(ctx, project, { type: 'Normal', reason, message });
}
