import { type Application, type Source, sameRepo } from '#base/model';
import { type Ctx, Tasks } from '#base/std';
import type { Informer } from '#control/live';
import { sourcesOf } from '#engine';

type Deps = {
  readonly informer: Pick<Informer<Application>, 'changes' | 'list' | 'whenSynced'>;
  watchRepository(ctx: Ctx, repoURL: string): AsyncIterable<void>;
};

/**
 * Calls `moved` with every application that tracks a repository on this machine whenever that may have changed, until `ctx`
 * stops. One watch for each repository, however many applications track it.
 */
export async function followLocal(
  ctx: Ctx,
  { informer, watchRepository }: Deps,
  moved: (app: Application) => void,
): Promise<void> {
  const watches = new Tasks();
  const changes = informer.changes(ctx);
  const followOne = async (one: Ctx, repoURL: string): Promise<void> => {
    for await (const _moved of watchRepository(one, repoURL)) {
      for (const app of informer.list())
        if (sourcesOf(app).some((source) => sameRepo(source.repoURL, repoURL))) moved(app);
    }
  };
  const start = (app: Application): void => {
    for (const { repoURL } of sourcesOf(app).filter(isLocal))
      watches.start(repoURL, (one) => followOne(one, repoURL));
  };
  await watches.run(ctx, async (inner) => {
    await informer.whenSynced(inner);
    for (const app of informer.list()) start(app);
    for await (const { after } of changes) if (after) start(after as Application);
  });
}

const isLocal = ({ repoURL }: Source): boolean => repoURL.startsWith('/') || repoURL.startsWith('file:');
