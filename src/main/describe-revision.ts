import type { Repository, Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { RevisionDetails, Sources } from '#sources/repositories';

type Find = (url: string, project: string) => Repository;

/** The details of a revision of a source, with the credentials of its project. */
export function describeRevision(sources: Sources, find: Find) {
  return (ctx: Ctx, source: Source, revision: string, project: string): Promise<RevisionDetails> => {
    const { repoURL, chart } = source;
    return sources.describe(ctx, { ...find(repoURL, project), ...(chart && { chart }) }, revision);
  };
}
