import { repositoryKind, type Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { SharedCaches } from './shared-caches.ts';

/** Sends a repository the cheapest possible request. Throws why it is unreachable. */
export async function reaches(
  ctx: Ctx,
  { sources, repositories }: Pick<SharedCaches, 'sources' | 'repositories'>,
  source: Source,
  project: string,
): Promise<void> {
  const { repoURL, chart } = source;
  const record = repositories.find(repoURL, project);
  if (repositoryKind(source) === 'git') await sources.listRefs(ctx, record, { fresh: true });
  // a version needs no lookup; a range does, so the request reaches the repository
  else await sources.resolveRevision(ctx, { ...record, ...(chart && { chart }) }, '*', { fresh: true });
}
