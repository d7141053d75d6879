import { atOnce, type Ctx } from '#base/std';
import { connectProvider, withinLimits } from './choose-provider.ts';
import { azureRepositories } from './hosts/azure-devops.ts';
import { bitbucketCloudRepositories } from './hosts/bitbucket-cloud.ts';
import { bitbucketServerRepositories } from './hosts/bitbucket-server.ts';
import { codeCommitRepositories } from './hosts/code-commit.ts';
import { giteaRepositories } from './hosts/gitea.ts';
import { githubRepositories } from './hosts/github.ts';
import { gitlabRepositories } from './hosts/gitlab.ts';
import {
  compileRepositoryFilters,
  type PathConditions,
  passesRepository,
  pathConditions,
  type RepositoryFilterSpec,
  type RepositoryFilters,
} from './repository-filters.ts';
import type {
  ConnectRepositories,
  PullRequestContext,
  RepositoryHost,
  ScmDeps,
  ScmRepository,
} from './scm-host.ts';

/** The part of an scmProvider generator that decides what is listed. Providers' fields are beside these. */
type ScmProviderSpec = {
  readonly filters?: readonly RepositoryFilterSpec[];
  readonly cloneProtocol?: string;
};

/** By the field of the generator, in the order in which Argo CD looks for them. */
const providers: Readonly<Record<string, ConnectRepositories>> = {
  github: githubRepositories,
  gitlab: gitlabRepositories,
  gitea: giteaRepositories,
  bitbucketServer: bitbucketServerRepositories,
  azureDevOps: azureRepositories,
  bitbucket: bitbucketCloudRepositories,
  awsCodeCommit: codeCommitRepositories,
};

/** Requests under way at a time; hosts count concurrent ones against their limits. */
const width = 4;

/**
 * The branches of an organization's repositories that pass the filters, in the order in which the host lists them (sources
 * ASS-1 to ASS-5). All or nothing: any failed request throws.
 */
export async function listRepositories(
  ctx: Ctx,
  spec: ScmProviderSpec,
  deps: ScmDeps,
): Promise<readonly ScmRepository[]> {
  const filters = compileRepositoryFilters(spec.filters ?? []);
  const { cloneProtocol = '' } = spec;
  const connect = (provider: ConnectRepositories, around: PullRequestContext) =>
    provider(ctx, { ...around, cloneProtocol });
  const host = await connectProvider('scmProvider', { spec, providers, connect }, deps);
  return withinLimits(ctx, deps, host.api, (bounded) => passing(bounded, host, filters, deps));
}

async function passing(
  ctx: Ctx,
  host: RepositoryHost,
  filters: RepositoryFilters,
  deps: ScmDeps,
): Promise<readonly ScmRepository[]> {
  const listed = (await host.repositories(ctx)).filter((found) => passesRepository(filters, found));
  const found = await atOnce(width, listed, async (repository) => {
    const passed: ScmRepository[] = [];
    for (const branch of await host.branches(ctx, repository)) {
      if (await passesPaths(ctx, { host, deps, branch }, pathConditions(filters, branch)))
        passed.push(branch);
    }
    return passed;
  });
  return found.flat();
}

type OnBranch = { readonly host: RepositoryHost; readonly deps: ScmDeps; readonly branch: ScmRepository };

/** Whether one of the conditions holds. */
async function passesPaths(ctx: Ctx, on: OnBranch, conditions: readonly PathConditions[]): Promise<boolean> {
  for (const { exist, missing } of conditions) {
    if ((await allAre(ctx, on, exist, true)) && (await allAre(ctx, on, missing, false))) return true;
  }
  return false;
}

async function allAre(ctx: Ctx, on: OnBranch, paths: readonly string[], wanted: boolean): Promise<boolean> {
  for (const path of paths) {
    if ((await hasPath(ctx, on, path)) !== wanted) return false;
  }
  return true;
}

/** The root is always there. Paths of a commit are cached; a host without commits is requested each time. */
async function hasPath(ctx: Ctx, { host, deps, branch }: OnBranch, path: string): Promise<boolean> {
  if (path === '') return true;
  const find = (): Promise<boolean> => host.hasPath(ctx, branch, path);
  if (branch.sha === '') return find();
  const { organization, repository, repositoryId, sha } = branch;
  return deps.client.cachedPath([host.api.identity, organization, repository, repositoryId, sha, path], find);
}
