import { type HostApi, textAt } from '../host-api.ts';
import type { ScmRepository } from '../scm-host.ts';

/** A branch as GitHub, GitLab and Gitea print it: its name, and its commit with the hash in `hash`. */
export function branchOf(
  api: HostApi,
  found: ScmRepository,
  item: unknown,
  hash: 'sha' | 'id',
): ScmRepository {
  return onBranch(api, found, { branch: textAt(item, 'name'), sha: textAt(item, 'commit', hash) });
}

/** The repository on a branch. Throws Unavailable when the host named no branch or no commit. */
export function onBranch(
  api: HostApi,
  found: ScmRepository,
  { branch, sha }: Pick<ScmRepository, 'branch' | 'sha'>,
): ScmRepository {
  if (branch === '' || sha === '') throw api.unreadable(`a branch of ${found.repository} without a commit`);
  return { ...found, branch, sha };
}
