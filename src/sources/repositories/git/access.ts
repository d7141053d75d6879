import { type Ctx, FairleadError } from '#base/std';
import { parseRemote, type Remote } from '../repository-url.ts';
import { httpRoute, webWay } from './http-route.ts';
import { reachableFolder } from './local-reach.ts';
import type { GitRepository } from './repository.ts';
import type { GitEnvironment, GitRoute, Reach, WebWay } from './route.ts';
import { sshRoute } from './ssh-route.ts';

/** Checks that the repository may be reached and says how. Throws PermissionDenied, InvalidSpec, Auth or Unavailable. */
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
 * How to speak to the host without git; undefined for a repository that is not of the web, and for a URL that git joins
 * with what it asks for in a way of its own.
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

/** Decided when the route is made, and again whenever it is used: a link may have been put in its place meanwhile. */
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
