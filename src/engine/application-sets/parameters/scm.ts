import { normalize } from '#lang/go-template';
import type { SetRenderer } from '../template/set-renderer.ts';
import { branchSlug } from './branch-slug.ts';
import type { SetParameters } from './set-parameters.ts';
import { withValues } from './values.ts';

/** A branch of a repository as an SCM provider lists it. */
export type RepositoryBranch = {
  readonly organization: string;
  readonly repository: string;
  readonly repositoryId: string;
  readonly url: string;
  readonly branch: string;
  readonly sha: string;
  readonly labels: readonly string[];
};

type Values = Readonly<Record<string, string>> | undefined;

/** compat sources ASS-2: the parameters of one branch, all of them text. */
export function branchParameters(
  branch: RepositoryBranch,
  values: Values,
  renderer: SetRenderer,
): SetParameters {
  const { organization, repository, repositoryId, url, sha, labels } = branch;
  const set = {
    organization,
    repository,
    repository_id: repositoryId,
    url,
    branch: branch.branch,
    branchNormalized: normalize(branch.branch),
    sha,
    short_sha: sha.slice(0, 8),
    short_sha_7: sha.slice(0, 7),
    labels: labels.join(','),
  };
  return withValues(set, values, renderer);
}

/** An open pull request as a provider lists it. */
export type OpenPullRequest = {
  readonly number: string;
  readonly title: string;
  readonly branch: string;
  readonly targetBranch: string;
  readonly headSha: string;
  readonly author: string;
  readonly labels: readonly string[];
};

/** compat sources ASP-2: the parameters of one pull request; its labels are a list, in Go mode only. */
export function pullRequestParameters(
  request: OpenPullRequest,
  values: Values,
  renderer: SetRenderer,
): SetParameters {
  const { number, title, branch, targetBranch, headSha, author, labels } = request;
  const set = {
    number,
    title,
    branch,
    branch_slug: branchSlug(branch),
    target_branch: targetBranch,
    target_branch_slug: branchSlug(targetBranch),
    head_sha: headSha,
    head_short_sha: headSha.slice(0, 8),
    head_short_sha_7: headSha.slice(0, 7),
    author,
    ...(renderer.mode === 'go' ? { labels } : {}),
  };
  return withValues(set, values, renderer);
}
