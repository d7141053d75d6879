import { type HostApi, textAt } from '../host-api.ts';
import type { ScmRepository } from '../scm-host.ts';

/** A branch as GitHub, GitLab and Gitea print it: its name, and its commit with the hash in `hash`. */
export function branchOf(
  api: HostApi,
  found: ScmRepository,
  item: unknown,
  hash: 'sha' | 'id',
): ScmRepository {
  const [branch, sha] = [textAt(item, 'name'), textAt(item, 'commit', hash)];
  if (branch === '' || sha === '') throw api.unreadable(`a branch of ${found.repository} without a commit`);
  return { ...found, branch, sha };
}
