import type { Repository, Settings, Source } from '#base/model';
import type { Ctx } from '#base/std';
import { foldersWithApps, sourceDetails, sourcePath } from '#sources/render';
import type { Sources } from '#sources/repositories';

/** What the API reads from repositories. */
export function repositoryReader(sources: Sources, settings: () => Settings) {
  const open = async (ctx: Ctx, repository: Repository & { readonly chart?: string }, revision: string) => {
    const { render } = settings();
    const { commit } = await sources.resolveRevision(ctx, repository, revision);
    const links = render.allowOutOfBoundsSymlinks ? ('any' as const) : ('inside' as const);
    return sources.openTree(ctx, repository, commit, { links, submodules: render.submodulesEnabled });
  };
  return {
    probe: (ctx: Ctx, repository: Repository) => sources.probe(ctx, repository),
    refs: async (ctx: Ctx, repository: Repository) => {
      const { byName } = await sources.listRefs(ctx, repository, { fresh: true });
      const below = (prefix: string) =>
        [...byName.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
      return { branches: below('refs/heads/'), tags: below('refs/tags/') };
    },
    tags: (ctx: Ctx, repository: Repository) => sources.listTags(ctx, repository),
    charts: (ctx: Ctx, repository: Repository) => sources.listCharts(ctx, repository),
    folders: async (ctx: Ctx, repository: Repository, revision: string) =>
      foldersWithApps(await open(ctx, repository, revision), settings().render),
    details: async (ctx: Ctx, repository: Repository, source: Source) => {
      const { chart, targetRevision = '', path = '' } = source;
      const tree = await open(ctx, { ...repository, ...(chart && { chart }) }, targetRevision);
      return sourceDetails(tree, chart ? '' : sourcePath(tree, path), source, settings().render);
    },
  };
}
