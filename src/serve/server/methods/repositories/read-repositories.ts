import { type Repository, type RepositoryAccess, sameRepo } from '#base/model';
import type { Ctx } from '#base/std';
import type { BranchesAndTags, ChartList, RepositoryList, RepositoryView } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { findRepository, readingOf } from './find-repository.ts';
import {
  completed,
  fromRepository,
  onRepository,
  type RepositoryDeps,
  type RepositoryKind,
} from './repository-deps.ts';
import { storedRepositories, storedTemplates } from './repository-secrets.ts';
import { repositoryView, shownUrl } from './repository-view.ts';

/** Those that the caller may get, sorted by URL, each with the result of its last connection test. */
export async function list(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: RepositoryKind,
  { query, permissions }: MethodCall,
): Promise<RepositoryList> {
  permissions.waive(); // what the caller may not get is left out
  const [wanted, project] = [query.get('repo') ?? '', query.get('appProject') ?? ''];
  const found = (await storedRepositories(ctx, readingOf(deps), kind))
    .map(({ record }) => record)
    .filter(({ url }) => wanted === '' || sameRepo(shownUrl(url), shownUrl(wanted)))
    .filter((record) => project === '' || record.project === project)
    .filter((record) => permissions.may(onRepository(kind, 'get', record)))
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const templates = await templatesFor(ctx, deps, kind);
  const fresh = query.get('forceRefresh') === 'true';
  const view = (record: Repository) => tested(ctx, deps, kind, { record, templates, fresh });
  return { items: await Promise.all(found.map(view)) };
}

const sortKey = ({ url, project }: Repository): string => `${url} ${project}`;

export async function get(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: RepositoryKind,
  call: MethodCall,
): Promise<RepositoryView> {
  const { record } = await findRepository(ctx, deps, call, { kind, action: 'get' });
  const fresh = call.query.get('forceRefresh') === 'true';
  return tested(ctx, deps, kind, { record, templates: await templatesFor(ctx, deps, kind), fresh });
}

export async function templatesFor(
  ctx: Ctx,
  deps: RepositoryDeps,
  kind: RepositoryKind,
): Promise<readonly RepositoryAccess[]> {
  const type = kind === 'repository' ? 'repo-creds' : 'repo-write-creds';
  return (await storedTemplates(ctx, readingOf(deps), type)).map(({ record }) => record);
}

type Tested = {
  readonly record: Repository;
  readonly templates: readonly RepositoryAccess[];
  readonly fresh: boolean;
};

/** What may be pushed to shows nothing without a push, so only what is read from is tested. */
async function tested(
  ctx: Ctx,
  { connections }: RepositoryDeps,
  kind: RepositoryKind,
  { record, templates, fresh }: Tested,
): Promise<RepositoryView> {
  const view = repositoryView(record, templates);
  if (kind === 'repository-write') return view;
  return { ...view, connectionState: await connections.state(ctx, completed(record, templates), fresh) };
}

/**
 * The repository that a call names: the record of its project, or any URL without one, for a caller that may get it. The
 * permission is checked with the record that would be used.
 */
export function requireReadable(deps: RepositoryDeps, call: MethodCall, project: string): Repository {
  const { params, permissions } = call;
  const record = deps.repositoryOf(params.repo ?? '', project);
  permissions.require(onRepository('repository', 'get', record));
  return record;
}

export async function refs(ctx: Ctx, deps: RepositoryDeps, call: MethodCall): Promise<BranchesAndTags> {
  const record = requireReadable(deps, call, call.query.get('appProject') ?? '');
  return fromRepository(ctx, deps.reader.refs(ctx, record));
}

export async function tags(ctx: Ctx, deps: RepositoryDeps, call: MethodCall): Promise<BranchesAndTags> {
  const record = requireReadable(deps, call, call.query.get('appProject') ?? '');
  return { branches: [], tags: await fromRepository(ctx, deps.reader.tags(ctx, record)) };
}

export async function charts(ctx: Ctx, deps: RepositoryDeps, call: MethodCall): Promise<ChartList> {
  const record = requireReadable(deps, call, call.query.get('appProject') ?? '');
  return { items: await fromRepository(ctx, deps.reader.charts(ctx, record)) };
}
