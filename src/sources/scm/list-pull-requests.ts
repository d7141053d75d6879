import { type Ctx, FairleadError } from '#base/std';
import { connectProvider, withinLimits } from './choose-provider.ts';
import { azurePullRequests } from './hosts/azure-devops.ts';
import { bitbucketCloudPullRequests } from './hosts/bitbucket-cloud.ts';
import { bitbucketServerPullRequests } from './hosts/bitbucket-server.ts';
import { giteaPullRequests } from './hosts/gitea.ts';
import { githubPullRequests } from './hosts/github.ts';
import { gitlabPullRequests } from './hosts/gitlab.ts';
import { compilePullRequestFilters, type PullRequestFilterSpec } from './pull-request-filters.ts';
import type { ConnectPullRequests, PullRequest, PullRequestContext, ScmDeps } from './scm-host.ts';

/** The part of a pullRequest generator that decides what is listed. Providers' fields are beside these. */
type PullRequestSpec = {
  readonly filters?: readonly PullRequestFilterSpec[];
  readonly continueOnRepoNotFoundError?: boolean;
};

/** By the field of the generator, in the order in which Argo CD looks for them. */
const providers: Readonly<Record<string, ConnectPullRequests>> = {
  github: githubPullRequests,
  gitlab: gitlabPullRequests,
  gitea: giteaPullRequests,
  bitbucketServer: bitbucketServerPullRequests,
  bitbucket: bitbucketCloudPullRequests,
  azuredevops: azurePullRequests,
};

/**
 * The open pull requests of a repository that pass the filters, in the order in which the host lists them (sources ASP-1,
 * ASP-3). All or nothing: any failed request throws, but a repository that is not there has none where the generator
 * continues on that.
 */
export async function listPullRequests(
  ctx: Ctx,
  spec: PullRequestSpec,
  deps: ScmDeps,
): Promise<readonly PullRequest[]> {
  const passes = compilePullRequestFilters(spec.filters ?? []);
  const connect = (provider: ConnectPullRequests, around: PullRequestContext) => provider(ctx, around);
  const { api, pullRequests } = await connectProvider('pullRequest', { spec, providers, connect }, deps);
  const found = await withinLimits(ctx, deps, api, (bounded) => pullRequests(bounded));
  if (found) return found.filter(passes);
  if (!spec.continueOnRepoNotFoundError) throw missing(api.name, api.subject);
  deps.warn(`${api.name} has no ${api.subject}; the generator continues without it`);
  return [];
}

const missing = (name: string, subject: string): FairleadError =>
  new FairleadError(
    'NotFound',
    `${name} has no ${subject}, or hides it from these credentials: check the name and the credentials, or set continueOnRepoNotFoundError`,
  );
