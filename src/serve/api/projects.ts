import * as z from 'zod';
import type { AppProject, KubeObject, SyncWindow } from '#base/model';
import { isObject } from '#base/std';
import { tokenRequest } from './accounts.ts';
import type { LinkList } from './applications.ts';
import type { ClusterView } from './clusters.ts';
import { endpoint, selectable } from './endpoint.ts';
import type { RepositoryView } from './repositories.ts';

export type ProjectList = {
  readonly metadata: { resourceVersion?: string };
  readonly items: readonly AppProject[];
};

/** compat server §2.8: a project with everything that takes effect in it; no credentials. */
export type DetailedProject = {
  readonly project: AppProject;
  readonly globalProjects: readonly AppProject[];
  readonly repositories: readonly RepositoryView[];
  readonly clusters: readonly ClusterView[];
};

const project = z.custom<AppProject>(
  (value) => isObject(value) && isObject(value.metadata),
  'want an AppProject with metadata and spec',
);
const createRequest = z.object({ project, upsert: z.boolean().optional() });
const updateRequest = z.object({ project });
const roleTokenRequest = tokenRequest.extend({ description: z.string().optional() });

const at = '/api/v1/projects' as const;
const tokens = `${at}/:project/roles/:role/token` as const;

export const projects = {
  list: selectable(
    endpoint<ProjectList>('The projects that the caller may get.', { name: 'only the project of this name' })(
      'GET',
      at,
    ),
  ),
  create: endpoint<AppProject>('Creates a project, or replaces it with upsert.')('POST', at, createRequest),
  get: endpoint<AppProject>('One project.')('GET', `${at}/:name`),
  update: endpoint<AppProject>('Replaces a project, unless applications of it would no longer be permitted.')(
    'PUT',
    `${at}/:name`,
    updateRequest,
  ),
  delete: endpoint<Record<string, never>>('Deletes a project that no application uses.')(
    'DELETE',
    `${at}/:name`,
  ),
  detailed: endpoint<DetailedProject>(
    'A project with its global projects and the repositories and clusters that are scoped to it.',
  )('GET', `${at}/:name/detailed`),
  globals: endpoint<{ items: readonly AppProject[] }>('The global projects that a project inherits from.')(
    'GET',
    `${at}/:name/globalprojects`,
  ),
  events: endpoint<{ items: readonly KubeObject[] }>('The Kubernetes Events about a project.')(
    'GET',
    `${at}/:name/events`,
  ),
  links: endpoint<LinkList>('The deep links of a project, from project.links in argocd-cm.')(
    'GET',
    `${at}/:name/links`,
  ),
  windows: endpoint<{ windows: readonly SyncWindow[] }>('The sync windows of a project that are open now.')(
    'GET',
    `${at}/:name/syncwindows`,
  ),
  createToken: endpoint<{ token: string }>('Creates a token of a project role; only this response has it.')(
    'POST',
    tokens,
    roleTokenRequest,
  ),
  deleteToken: endpoint<Record<string, never>>('Revokes a token of a project role.', {
    id: 'the id of the token, instead of its time of issue',
  })('DELETE', `${tokens}/:iat`),
} as const;
