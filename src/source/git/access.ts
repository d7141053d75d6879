import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { type Ctx, FairleadError } from '#std';
import { parseRemote, type Remote } from '../repository-url.ts';
import { httpRoute, webWay } from './http-route.ts';
import type { GitRepository } from './repository.ts';
import type { Reach, Route, Surroundings, WebWay } from './route.ts';
import { sshRoute } from './ssh-route.ts';

/** Checks that the repository may be reached and says how. Throws PermissionDenied, InvalidSpec, Auth or Unavailable. */
export async function routeTo(ctx: Ctx, repository: GitRepository, around: Surroundings): Promise<Route> {
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
  around: Surroundings,
): Promise<WebWay | undefined> {
  const remote = parseRemote(repository.url);
  if (remote.kind !== 'http' || remote.url.search !== '' || repository.problem) return undefined;
  return webWay(ctx, remote, repository, around);
}

async function localRoute(remote: Remote & { kind: 'local' }, reach: Reach): Promise<Route> {
  const location = await realPath(remote);
  if (reach.local !== 'any' && !(await liesBelow(location, reach.local))) {
    throw new FairleadError(
      'PermissionDenied',
      `repository ${remote.shown} is a folder of this machine, and such repositories are not allowed here: use its https URL`,
    );
  }
  return { location, use: (work) => work({ protocols: ['file'], config: [], env: {} }) };
}

async function realPath({ path, shown }: Remote & { kind: 'local' }): Promise<string> {
  for (const candidate of [path, `${path}.git`]) {
    try {
      return await realpath(candidate);
    } catch {}
  }
  throw new FairleadError('NotFound', `there is no repository at ${shown}: check repoURL`);
}

async function liesBelow(path: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const from = await realpath(root).catch(() => undefined);
    const way = from === undefined ? undefined : relative(from, path);
    if (way !== undefined && !isAbsolute(way) && way.split('/')[0] !== '..') return true;
  }
  return false;
}
