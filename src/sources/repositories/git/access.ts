import { type Ctx, FairleadError } from '#base/std';
import { parseRemote, type Remote } from '../repository-url.ts';
import { httpRoute, webWay } from './http-route.ts';
import { reachableFolder } from './local-reach.ts';
import type { GitRepository } from './repository.ts';
import type { GitEnvironment, GitRoute, Reach, WebWay } from './route.ts';
import { sshRoute } from './ssh-route.ts';

/**
 * Checks that the repository may be accessed and returns the route. Throws PermissionDenied, InvalidSpec, Auth or
 * Unavailable.
 */
export async function routeTo(
  ctx: Ctx,
  repository: GitRepository,
  around: GitEnvironment,
): Promise<GitRoute> {
  const remote = parseRemote(repository.url);
  if (repository.problem) {
    throw new FairleadError('InvalidSpec', `the Secret of repository ${remote.shown}: ${repository.problem}`);
  }
  if (remote.kind === 'local') return localRoute(remote, around.reach);
  if (remote.kind === 'ssh') return sshRoute(ctx, remote, repository, around);
  return httpRoute(ctx, remote, repository, around);
}

/**
 * How to connect to the host without git; undefined for a repository that is not HTTP, and for a URL to which git
 * appends paths in its own way.
 */
export async function webWayTo(
  ctx: Ctx,
  repository: GitRepository,
  around: GitEnvironment,
): Promise<WebWay | undefined> {
  const remote = parseRemote(repository.url);
  if (remote.kind !== 'http' || remote.url.search !== '' || repository.problem) return undefined;
  return webWay(ctx, remote, repository, around);
}

/**
 * Checked when the route is made, and again whenever it is used: the folder may have been replaced by a link meanwhile.
 */
async function localRoute(remote: Remote & { kind: 'local' }, reach: Reach): Promise<GitRoute> {
  const location = await reachableFolder(remote, reach);
  return {
    location,
    use: async (work) => {
      if ((await reachableFolder(remote, reach)) !== location) {
        throw new FairleadError('Unavailable', `repository ${remote.shown} was moved while it was read`);
      }
      return work({ protocols: ['file'], config: [], env: {} });
    },
  };
}
