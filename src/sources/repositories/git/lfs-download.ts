import { type Ctx, FairleadError, isObject, type JsonObject } from '#base/std';
import { jsonAnswer } from '../web/json-answer.ts';
import { fetchWeb, type Outside, type Terms } from '../web/request.ts';
import type { LfsPointer } from './lfs-pointer.ts';
import type { SourceLimits } from './limits.ts';

/** The LFS server of a repository, and our credentials for it. */
export type LfsServer = {
  readonly shown: string;
  /** The endpoint, to which `/objects/batch` is added. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly terms: Terms;
};

type DownloadTarget = { readonly url: URL; readonly headers: Readonly<Record<string, string>> };
type Wanted = {
  readonly server: LfsServer;
  readonly pointer: LfsPointer;
  readonly limits: Pick<SourceLimits, 'listMs' | 'fetchMs'>;
};

const batchType = 'application/vnd.git-lfs+json';
const batchBytes = 1024 * 1024;

/** Requests a file's location from the server and downloads it. Throws NotFound when it was never pushed. */
export async function download(ctx: Ctx, outside: Outside, wanted: Wanted): Promise<Uint8Array> {
  const { server, pointer, limits } = wanted;
  const { url, headers } = await locate(ctx, outside, wanted);
  const { proxy, noProxy } = server.terms;
  const answer = await fetchWeb(ctx, outside, {
    url,
    headers,
    // another host gets only the headers that the server gave us for it, and none of our credentials
    terms: url.origin === server.url.origin ? server.terms : { proxy, noProxy },
    most: pointer.size,
    ms: limits.fetchMs,
  });
  if (answer.status !== 200) throw refused(server.shown, answer.status);
  return answer.body;
}

async function locate(
  ctx: Ctx,
  outside: Outside,
  { server, pointer, limits }: Wanted,
): Promise<DownloadTarget> {
  const answer = await fetchWeb(ctx, outside, {
    url: new URL(`${server.url.href.replace(/\/+$/, '')}/objects/batch`),
    method: 'POST',
    headers: { ...server.headers, accept: batchType, 'content-type': batchType },
    body: JSON.stringify({ operation: 'download', transfers: ['basic'], objects: [pointer] }),
    terms: server.terms,
    most: batchBytes,
    ms: limits.listMs,
  });
  if (answer.status !== 200) throw refused(server.shown, answer.status);
  const place = placeIn(jsonAnswer(answer.body), pointer, server);
  if (place) return place;
  throw new FairleadError(
    'NotFound',
    `large file ${pointer.oid} is not in repository ${server.shown}: push it with git lfs push`,
  );
}

/** The content's location in the batch response; our own credentials are sent only to the server they are for. */
function placeIn(answer: JsonObject, { oid }: LfsPointer, server: LfsServer): DownloadTarget | undefined {
  const objects = Array.isArray(answer.objects) ? (answer.objects as unknown[]) : [];
  const object = objects.find((each) => isObject(each) && each.oid === oid);
  const actions = isObject(object) && isObject(object.actions) ? object.actions : {};
  const action = isObject(actions.download) ? actions.download : {};
  if (!isWebUrl(action.href)) return undefined;
  const url = new URL(action.href);
  const headers = headersIn(action.header);
  const isAuthorized = headers.authorization !== undefined || url.origin !== server.url.origin;
  return { url, headers: isAuthorized ? headers : { ...server.headers, ...headers } };
}

/** An HTTP URL, and no other that a server might make us open. */
export const isWebUrl = (text: unknown): text is string =>
  typeof text === 'string' && /^https?:\/\//i.test(text) && URL.canParse(text);

/** Headers that a server returned, in lower case. */
export function headersIn(given: unknown): Record<string, string> {
  const rows = isObject(given) ? Object.entries(given) : [];
  return Object.fromEntries(rows.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function refused(shown: string, status: number): FairleadError {
  if (status === 401 || status === 403) {
    return new FairleadError(
      'Auth',
      `repository ${shown} refused our credentials for a large file: check those of its Secret`,
    );
  }
  const code = status === 404 ? 'NotFound' : 'Unavailable';
  return new FairleadError(code, `a large file of repository ${shown} cannot be fetched: status ${status}`);
}
