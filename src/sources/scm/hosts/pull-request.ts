import { type HostApi, listAt, textAt } from '../host-api.ts';
import type { PullRequest } from '../scm-host.ts';

/** Throws Unavailable for a pull request without a number or a commit: no parameters can be made of it. */
export function pullRequestOf(api: HostApi, found: PullRequest): PullRequest {
  if (found.number === '') throw api.unreadable('a pull request without a number');
  if (found.headSha === '') throw api.unreadable(`pull request ${found.number} without a commit`);
  return found;
}

/** A pull request as GitHub and Gitea print it. The author is empty when the account was deleted. */
export const githubPullRequestOf = (api: HostApi, item: unknown): PullRequest =>
  pullRequestOf(api, {
    number: textAt(item, 'number'),
    title: textAt(item, 'title'),
    branch: textAt(item, 'head', 'ref'),
    targetBranch: textAt(item, 'base', 'ref'),
    headSha: textAt(item, 'head', 'sha'),
    author: textAt(item, 'user', 'login'),
    labels: listAt(item, 'labels').map((label) => textAt(label, 'name')),
  });
