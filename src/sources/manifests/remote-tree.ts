import { decodeText, type FileTree, memoryTree, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError, within } from '#base/std';
import { isWebUrl, parseManifests, parseRemoteBase, type RemoteBase } from '#sources/render';
import { lentRepository, type SourceRepository, type Sources } from '#sources/repositories';
import { markNetworkError } from './network-error.ts';
import type { ManifestRequest } from './request.ts';
import type { RemotePointer } from './trace.ts';
import { verify } from './verify.ts';

/**
 * The files of a remote base. `name` identifies it, is safe to show, and is the same while only the content differs.
 */
export type RemoteTree = { readonly name: string; readonly tree: FileTree } & (
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'file'; readonly file: string }
);

type WebFile = RemoteTree & { readonly kind: 'file' };

type RemoteSources = Pick<Sources, 'readUrl' | 'resolveRevision' | 'openTree' | 'verify'>;

export type RemoteRequest = {
  readonly sources: RemoteSources;
  readonly request: ManifestRequest;
  /** The repository whose files contain the URL; undefined when they did not come from a repository. */
  readonly own: SourceRepository | undefined;
};

/**
 * Opens a remote base or file (sources KL-5, KL-6) by the rules for sources: the project must permit it, and its
 * credentials are those of the application's own repository where that is on the same server (sources CRED-10), else
 * none. Throws the error that prevented it.
 */
export async function openRemoteTree(
  ctx: Ctx,
  remoteRequest: RemoteRequest,
  pointer: RemotePointer,
): Promise<RemoteTree> {
  try {
    return await opened(ctx, remoteRequest, pointer);
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const reported = `remote base ${shown(pointer.place)} cannot be used: ${error.message}`;
    throw markNetworkError(new FairleadError(error.code, reported, error));
  }
}

/** compat sources KL-1: a URL whose response contains objects is a file; any other may still be a repository. */
async function opened(
  ctx: Ctx,
  remoteRequest: RemoteRequest,
  { place, as }: RemotePointer,
): Promise<RemoteTree> {
  const base = as === 'file' ? undefined : parseRemoteBase(place);
  const isPage = as !== 'component' && isPageFirst(place, base);
  const mayRead = isPage && permits(remoteRequest, place);
  if (base && permits(remoteRequest, base.repository)) {
    const file = mayRead ? await objectsAt(ctx, remoteRequest, place) : undefined;
    return file ?? folderAt(ctx, remoteRequest, base);
  }
  if (mayRead) return fileAt(ctx, remoteRequest, place);
  throw notPermitted(remoteRequest.request, isPage ? place : (base?.repository ?? place));
}

const permits = ({ request }: RemoteRequest, url: string): boolean => isPermitted(request, url);

/** dev: a URL that marks where its repository ends is not fetched as a page first. */
const isPageFirst = (place: string, base: RemoteBase | undefined): boolean =>
  isWebUrl(place) && (!base?.isMarked || isFileUrl(place));

const isFileUrl = (url: string): boolean => /\.(?:ya?ml|json)$/i.test(url.replace(/[?#].*$/s, ''));

/** Undefined: the URL serves an HTML page, most likely, or nothing. */
async function objectsAt(
  ctx: Ctx,
  remoteRequest: RemoteRequest,
  url: string,
): Promise<RemoteTree | undefined> {
  try {
    const found = await fileAt(ctx, remoteRequest, url);
    if (isFileUrl(url)) return found;
    return parseManifests(await found.tree.text(found.file), url).length > 0 ? found : undefined;
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code === 'PermissionDenied') throw error;
    return undefined;
  }
}

/** The file keeps its remote name: generators use it as a key. */
async function fileAt(ctx: Ctx, { sources, request }: RemoteRequest, url: string): Promise<WebFile> {
  const bytes = await sources.readUrl(ctx, url, ageOf(request));
  const last = url.replace(/[?#].*$/s, '').replace(/^.*\//s, '');
  const file = /^[\w.-]{1,200}$/.test(last) && !/^\.+$/.test(last) ? last : 'remote';
  return { kind: 'file', name: shown(url), tree: memoryTree({ [file]: decodedOr(bytes) }), file };
}

/** Text is kept as text, so that it is compared as such. */
function decodedOr(bytes: Uint8Array): string | Uint8Array {
  const text = decodeText(bytes);
  return text.includes('\ufffd') ? bytes : text;
}

async function folderAt(ctx: Ctx, remoteRequest: RemoteRequest, base: RemoteBase): Promise<RemoteTree> {
  const { sources, request, own } = remoteRequest;
  const { repository: url, path, revision, submodules, timeoutMs } = base;
  const repository = own ? lentRepository(own, url) : { url };
  const timed = timeoutMs === undefined ? ctx : within(ctx, timeoutMs);
  try {
    const { commit } = await sources.resolveRevision(timed, repository, revision, ageOf(request));
    const source = { repoURL: url, path, targetRevision: revision };
    await verify(timed, sources, request, { repository, source, commit });
    const links = request.settings?.allowOutOfBoundsSymlinks ? 'any' : 'inside';
    const tree = await sources.openTree(timed, repository, commit, { links, submodules });
    const name = `${shown(url)}?ref=${revision || 'HEAD'}${submodules ? '' : '&submodules=false'}`;
    return { kind: 'folder', name, tree, path };
  } catch (error) {
    if (!timed.signal.aborted || ctx.signal.aborted) throw error;
    const message = `it took longer than the ${timeoutMs} ms that its URL gives it: raise timeout=`;
    throw new FairleadError('Unavailable', message, error);
  }
}

const ageOf = ({ refresh, refs = {} }: ManifestRequest) => (refresh === 'hard' ? { fresh: true } : refs);

/** Whether the project lets its applications fetch from a URL; a render without a project may fetch from any. */
export const isPermitted = ({ chartRepositories }: ManifestRequest, url: string): boolean =>
  chartRepositories?.permits(url) ?? true;

const shown = (place: string): string => withoutUserInfo(place.replace(/^git::/i, ''));

export function notPermitted({ app }: ManifestRequest, url: string): FairleadError {
  return new FairleadError(
    'PermissionDenied',
    `project '${app.project ?? 'default'}' does not permit ${shown(url)}: add it to spec.sourceRepos of the project, or copy what it holds into the repository`,
  );
}
