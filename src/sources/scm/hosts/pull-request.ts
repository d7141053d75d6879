import type { HostApi } from '../host-api.ts';
import type { PullRequest } from '../scm-host.ts';

/** Throws Unavailable for a pull request without a number or a commit: no parameters can be made of it. */
export function pullRequestOf(api: HostApi, found: PullRequest): PullRequest {
  if (found.number === '') throw api.unreadable('a pull request without a number');
  if (found.headSha === '') throw api.unreadable(`pull request ${found.number} without a commit`);
  return found;
}
