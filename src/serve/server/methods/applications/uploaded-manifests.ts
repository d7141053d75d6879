import { type FileTree, isRefOnly, type Source, sameRepo } from '#base/model';
import { type Ctx, isObject, Semaphore, within } from '#base/std';
import { generateManifests } from '#control/comparison';
import { sourcesOf } from '#engine';
import type { FileMessage, RenderedManifests } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findApplication, onApplication, placeOrRefuse } from './find.ts';
import { shownManifests } from './manifests.ts';
import { invalid } from './validate.ts';

/** Each keeps files on disk until it is rendered, so more of them wait. */
const uploads = new Semaphore(2);
const longestMs = 10 * 60_000;

/**
 * compat server §3.5: the target manifests, rendered from files of the caller (`argocd app diff --local --server-side-generate`). The
 * files replace the repository of the first source and are gone afterwards. As upstream it needs `get` alone; a plugin, whose
 * programs would run on the files, needs `override` too.
 */
export async function manifestsWithFiles(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<FileMessage>,
): Promise<RenderedManifests> {
  const { query, chunk } = call.body;
  if (!query?.name) throw invalid('the first message must have the name of the application in query.name');
  const { name, appNamespace = '', project = '', checksum } = query;
  const named = { params: { name }, query: new URLSearchParams({ appNamespace, project }), body: undefined };
  const app = findApplication(deps, { ...call, ...named }, 'get');
  const destination = placeOrRefuse(deps, app);
  const mayRunPlugins = call.permissions.may(onApplication(deps, app, 'override'));
  const limited = within(ctx, longestMs);
  return uploads.run(limited.signal, async () => {
    const content = partsOf(chunk, call.more);
    const { files, close } = await deps.openUpload(limited, { content, checksum });
    try {
      const sources = movedTo(files, sourcesOf(app));
      const own = sources.find((source) => !isRefOnly(source))?.repoURL ?? '';
      const of = ({ repoURL }: Source) => (sameRepo(repoURL, own) ? files : undefined);
      const how = { given: [], resolve: 'cached' as const, hard: false };
      const options = { ...how, sources, files: { of, mayRunPlugins } };
      return shownManifests(
        deps,
        { app, destination },
        await generateManifests(limited, deps.context, { app, destination }, options),
      );
    } finally {
      await close();
    }
  });
}

async function* partsOf(
  first: FileMessage['chunk'],
  more: AsyncIterable<unknown> | undefined,
): AsyncGenerator<Uint8Array> {
  if (first) yield Buffer.from(first.chunk, 'base64');
  for await (const message of more ?? []) {
    const chunk = isObject(message) && isObject(message.chunk) ? message.chunk.chunk : undefined;
    if (typeof chunk !== 'string')
      throw invalid('after the first message each must have a part of the files');
    yield Buffer.from(chunk, 'base64');
  }
}

/** A user sends the whole repository, as upstream demands it, or only the folder that the source names. */
function movedTo(files: FileTree, sources: readonly Source[]): readonly Source[] {
  return sources.map((source) =>
    source.path !== undefined && !files.has(source.path) ? { ...source, path: '.' } : source,
  );
}
