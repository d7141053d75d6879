import { repositoryKind, type Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { Knowledge } from './knowledge.ts';

/** Asks a repository for the least that it can be asked for. Throws why it does not answer. */
export async function reaches(
  ctx: Ctx,
  { sources, repositories }: Pick<Knowledge, 'sources' | 'repositories'>,
  source: Source,
  project: string,
): Promise<void> {
  const { repoURL, chart } = source;
  const record = repositories.find(repoURL, project);
  if (repositoryKind(source) === 'git') await sources.listRefs(ctx, record, { fresh: true });
  // a version is taken by its word; a range has to be looked up
  else await sources.resolveRevision(ctx, { ...record, ...(chart && { chart }) }, '*', { fresh: true });
}
