import {
  hasCredentials,
  type Repository,
  type RepositoryAccess,
  type Source,
  templateFor,
  withTemplate,
} from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { Action } from '#engine';
import type { AppDetails, AppFolder, BranchesAndTags, ChartList } from '#serve/api';
import type { MethodDeps } from '../deps.ts';
import type { ConnectionTests } from './connection-tests.ts';
import { shownUrl } from './repository-view.ts';

/** What the methods do with a repository itself; each throws why it cannot. */
type RepositoryReader = {
  /** The cheapest request that shows whether it accepts us. */
  probe(ctx: Ctx, repository: Repository): Promise<void>;
  refs(ctx: Ctx, repository: Repository): Promise<BranchesAndTags>;
  tags(ctx: Ctx, repository: Repository): Promise<readonly string[]>;
  charts(ctx: Ctx, repository: Repository): Promise<ChartList['items']>;
  folders(ctx: Ctx, repository: Repository, revision: string): Promise<readonly AppFolder[]>;
  /** The type of a source and what can be set in it; the images of a kustomization are left to the caller. */
  details(ctx: Ctx, repository: Repository, source: Source): Promise<Pick<AppDetails, 'type' | 'helm'>>;
};

export type RepositoryDeps = Pick<MethodDeps, 'kube' | 'apps' | 'context'> & {
  readonly reader: RepositoryReader;
  readonly connections: ConnectionTests;
  /** The record that applications of a project use for a URL, with its credentials. */
  repositoryOf(url: string, project: string): Repository;
};

/** Which of the four lists a method is about. */
export type RepositoryKind = 'repository' | 'repository-write';

/** compat server §5.2: the URL, after its project where it has one; a password in the URL is no part of it. */
export const onRepository = (
  kind: RepositoryKind,
  action: string,
  { url, project }: { readonly url: string; readonly project?: string },
): Action => ({
  resource: kind === 'repository' ? 'repositories' : 'write-repositories',
  action,
  object: project ? `${project}/${shownUrl(url)}` : shownUrl(url),
});

/**
 * Waits for a repository. Its refusals are the caller's to mend: an expired credential of a repository must not look like
 * an expired session, nor an unreachable host like a broken server.
 */
export async function fromRepository<T>(ctx: Ctx, work: Promise<T>, doing = ''): Promise<T> {
  return work.catch((error: unknown) => {
    const { code, message } = FairleadError.from(error);
    if (ctx.signal.aborted || code === 'Internal') throw error;
    throw new FairleadError(code === 'NotFound' ? code : 'InvalidSpec', doing + message, error);
  });
}

/** compat sources CRED-2: with the credentials of a template where it has none of its own. */
export function completed(repository: Repository, templates: readonly RepositoryAccess[]): Repository {
  const template = borrowed(repository, templates);
  return template ? withTemplate(repository, template) : repository;
}

/** The template whose credentials a repository uses; undefined where it has its own, or none fits. */
export function borrowed(
  repository: Repository,
  templates: readonly RepositoryAccess[],
): RepositoryAccess | undefined {
  const usable = templates.filter(({ problem }) => problem === undefined);
  return hasCredentials(repository) ? undefined : templateFor(repository.url, usable);
}
