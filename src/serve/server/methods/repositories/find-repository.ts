import { type Repository, sameRepo } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import { onRepository, type RepositoryDeps, type RepositoryKind } from './repository-deps.ts';
import { type StoredSecret, storedRepositories } from './repository-secrets.ts';
import { shownUrl } from './repository-view.ts';

export const readingOf = ({ kube, context }: RepositoryDeps) => ({ kube, namespace: context.namespace });

/**
 * compat server §2.4: the stored repository that a call names, for a caller that has the action on it. One that the caller may
 * not get is refused like one that does not exist. `project` limits it where several projects have the URL.
 */
export async function findRepository(
  ctx: Ctx,
  deps: RepositoryDeps,
  { params, query, permissions }: MethodCall,
  {
    kind,
    action,
    project,
  }: { readonly kind: RepositoryKind; readonly action: string; readonly project?: string },
): Promise<StoredSecret<Repository>> {
  permissions.waive();
  const stored = await storedRepositories(ctx, readingOf(deps), kind);
  const wanted = query.get('appProject') || project;
  const same = stored
    .filter(({ record }) => sameRepo(shownUrl(record.url), shownUrl(params.repo ?? '')))
    .filter(({ record }) => permissions.may(onRepository(kind, 'get', record)));
  const inProject = wanted === undefined ? same : same.filter(({ record }) => record.project === wanted);
  const [found, ...others] = inProject.length > 0 || query.get('appProject') ? inProject : same;
  if (!found) throw hidden();
  if (others.length > 0)
    throw new FairleadError(
      'InvalidSpec',
      `several projects have a repository ${shownUrl(found.record.url)}: name one with appProject`,
    );
  permissions.require(onRepository(kind, action, found.record));
  return found;
}
