import { type Repository, repositoryKind, type Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { RevisionDetails, Sources } from '#sources/repositories';

type Find = (url: string, project: string) => Repository;

/** The details of a revision of a source, with the credentials of its project; of a branch or a tag, those of its commit. */
export function describeRevision(sources: Sources, find: Find) {
  return async (ctx: Ctx, source: Source, revision: string, project: string): Promise<RevisionDetails> => {
    const { repoURL, chart } = source;
    const repository = { ...find(repoURL, project), ...(chart && { chart }) };
    if (repositoryKind(source) !== 'git' || isHash(revision))
      return sources.describe(ctx, repository, revision);
    const { commit } = await sources.resolveRevision(ctx, repository, revision);
    return sources.describe(ctx, repository, commit);
  };
}

const isHash = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision);
