import type { Repository, Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { Sources } from '#sources/repositories';

type Find = (url: string, project: string) => Repository;
type Told = { author: string; date?: Date; message: string };

/** The author, date and message of a revision, in one form for a commit, a chart and an artifact; empty where unknown. */
export function describeRevision(sources: Sources, find: Find) {
  return async (ctx: Ctx, source: Source, revision: string, project: string): Promise<Told> => {
    const { repoURL, chart } = source;
    const repository = { ...find(repoURL, project), ...(chart && { chart }) };
    const found = await sources.describe(ctx, repository, revision);
    if (found.kind === 'commit') return found;
    if (found.kind === 'chart')
      return { author: found.maintainers.join(', '), message: found.description || found.name };
    const created = new Date(found.createdAt);
    const isTime = !Number.isNaN(created.getTime());
    return {
      author: found.authors,
      message: found.description || found.version,
      ...(isTime && { date: created }),
    };
  };
}
