import { createHash } from 'node:crypto';
import { decodeText } from '#base/model';
import { type Ctx, FairleadError, isObject, parseJson, within } from '#base/std';
import { type Blobs, type Digest, isDigest } from '../archive/blobs.ts';
import type { ArchiveLimits } from '../archive/limits.ts';
import { retried } from '../git/retry.ts';
import type { Outside, WebStream } from '../web/request.ts';
import { bodyOf, refusal, visit } from '../web/visit.ts';
import { Admission } from './admission.ts';
import { acceptedManifests } from './manifest.ts';
import type { RegistryRepository } from './registry-repository.ts';

export type RegistryDeps = {
  readonly blobs: Blobs;
  readonly outside: () => Outside;
  readonly limits: ArchiveLimits & { readonly attempts: number };
};

/** A manifest as it was sent, and the digest of exactly these bytes. */
export type RawManifest = { readonly digest: Digest; readonly mediaType: string; readonly bytes: Uint8Array };

const mostManifest = 4 * 1024 * 1024; // the distribution specification requires registries to accept it
const mostTagPage = 16 * 1024 * 1024;
const tagsPerPage = 1000;

type Question = {
  readonly path: string;
  readonly what: string;
  readonly accept?: string;
  readonly most: number;
};

/** The pull part of the OCI distribution API. Everything that has a digest is checked against it. */
export class Registry {
  readonly #deps: RegistryDeps;
  readonly #admission: Admission;

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
    this.#admission = new Admission(deps.outside, deps.limits.requestMs);
  }

  /** A manifest by its tag or digest. Throws NotFound when there is none. */
  async manifest(ctx: Ctx, place: RegistryRepository, reference: string): Promise<RawManifest> {
    const what = `${place.shown}${isDigest(reference) ? '@' : ':'}${reference}`;
    const path = `/v2/${place.name}/manifests/${reference}`;
    const answer = await this.#query(ctx, place, {
      path,
      what,
      accept: acceptedManifests,
      most: mostManifest,
    });
    const bytes = await bodyOf(answer);
    const said = answer.headers['docker-content-digest'];
    const wanted = isDigest(reference)
      ? reference
      : typeof said === 'string' && isDigest(said)
        ? said
        : 'sha256:';
    const algorithm = wanted.slice(0, 6);
    const digest = `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
    if (wanted !== 'sha256:' && wanted !== digest) {
      throw new FairleadError(
        'PolicyFailed',
        `the manifest of ${what} has digest ${digest} where ${wanted} was announced: it was replaced or damaged on the way`,
      );
    }
    return { digest, mediaType: String(answer.headers['content-type'] ?? '').split(';')[0] ?? '', bytes };
  }

  /** Authenticates. Throws why the registry refuses us; the repository need not exist. */
  async ping(ctx: Ctx, place: RegistryRepository): Promise<void> {
    const what = `registry ${new URL(place.origin).host}`;
    (await this.#query(ctx, place, { path: '/v2/', what, most: mostManifest })).close();
  }

  /** Every tag of a repository, in the registry's order. All pages together have the timeout of one download. */
  async tags(ctx: Ctx, place: RegistryRepository): Promise<readonly string[]> {
    const what = `the list of tags of ${place.shown}`;
    const bounded = within(ctx, this.#deps.limits.downloadMs);
    try {
      return await this.#pages(bounded, place, what);
    } catch (error) {
      if (ctx.signal.aborted || !bounded.signal.aborted) throw error;
      throw new FairleadError('Unavailable', `${what} has no end: name a tag`, error);
    }
  }

  async #pages(ctx: Ctx, place: RegistryRepository, what: string): Promise<readonly string[]> {
    const tags: string[] = [];
    let path: string | undefined = `/v2/${place.name}/tags/list?n=${tagsPerPage}`;
    const seen = new Set<string>();
    while (path !== undefined && !seen.has(path)) {
      seen.add(path);
      const answer: WebStream = await this.#query(ctx, place, { path, what, most: mostTagPage });
      tags.push(...tagsIn(decodeText(await bodyOf(answer)), what));
      if (tags.length + seen.size > this.#deps.limits.tags) {
        throw new FairleadError(
          'LimitExceeded',
          `${what} has more than ${this.#deps.limits.tags} entries: name a tag`,
        );
      }
      path = nextPage(answer.headers.link, place, path);
    }
    return tags;
  }

  /** Downloads a blob to disk unless it is there. Throws PolicyFailed when it does not match its digest. */
  async fetchBlob(
    ctx: Ctx,
    place: RegistryRepository,
    blob: { digest: Digest; size: number },
  ): Promise<void> {
    const { blobs, limits } = this.#deps;
    const what = `blob ${blob.digest} of ${place.shown}`;
    if (blob.size > limits.archiveBytes) {
      throw new FairleadError(
        'LimitExceeded',
        `${what} has ${blob.size} bytes, more than ${limits.archiveBytes}`,
      );
    }
    const path = `/v2/${place.name}/blobs/${blob.digest}`;
    await retried(ctx, limits.attempts, async () => {
      const answer = await this.#once(ctx, place, { path, what, most: blob.size, accept: '*/*' });
      await blobs.put(ctx, answer.body, blob.digest);
    });
  }

  #query(ctx: Ctx, place: RegistryRepository, question: Question): Promise<WebStream> {
    return retried(ctx, this.#deps.limits.attempts, () => this.#once(ctx, place, question));
  }

  /** Sends a request; when the registry requires authentication, authenticates and sends it once more. */
  async #once(ctx: Ctx, place: RegistryRepository, question: Question): Promise<WebStream> {
    const first = await this.#send(ctx, place, question, this.#admission.known(ctx, place));
    if (first.status === 200) return first;
    first.close();
    if (first.status !== 401) throw refusal(first.status, question.what);
    const shown = await this.#admission.answer(ctx, place, first.headers['www-authenticate']);
    const second = await this.#send(ctx, place, question, shown);
    if (second.status === 200) return second;
    second.close();
    this.#admission.forget(place);
    throw refusal(second.status, question.what);
  }

  #send(
    ctx: Ctx,
    { origin, terms }: RegistryRepository,
    { path, accept = 'application/json', most }: Question,
    authorization: string | undefined,
  ): Promise<WebStream> {
    const { requestMs, downloadMs } = this.#deps.limits;
    return visit(ctx, this.#deps.outside(), {
      url: new URL(path, origin),
      authorization,
      headers: { accept },
      terms,
      most,
      ms: accept === '*/*' ? downloadMs : requestMs,
    });
  }
}

function tagsIn(text: string, what: string): string[] {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch {}
  const tags = isObject(answer) ? answer.tags : undefined;
  if (tags === null) return [];
  if (!Array.isArray(tags))
    throw new FairleadError('Unavailable', `${what} is not in the form registries use`);
  return tags.filter((tag) => typeof tag === 'string');
}

/** The `Link` of a page may only lead to the registry that sent it. */
function nextPage(
  header: string | string[] | undefined,
  { origin, shown }: RegistryRepository,
  from: string,
): string | undefined {
  const [, target] = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec([header ?? ''].flat().join(', ')) ?? [];
  if (target === undefined) return undefined;
  const next = new URL(target, new URL(from, origin));
  if (next.origin === origin) return `${next.pathname}${next.search}`;
  throw new FairleadError(
    'PermissionDenied',
    `the list of tags of ${shown} goes on at another host, ${next.host}`,
  );
}
