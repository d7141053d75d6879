import { createHash } from 'node:crypto';
import { type Backoff, type Ctx, delayOf, Lru } from '#base/std';
import { reportRequest, type SourceObserver } from '../observe.ts';
import { ConnectionPool } from '../web/connection-pool.ts';
import { openWeb, type WebStream } from '../web/request.ts';
import { odd } from './pkt-line.ts';
import { readGreeting, readRefList } from './ref-answers.ts';
import type { Refs } from './refs.ts';
import type { WebWay } from './route.ts';

type Standing = {
  /** The request for a host known to speak version 2; undefined: its version is not known yet. */
  request: string | undefined;
  /** The last list, and the digest of its bytes: the same bytes are not parsed again. */
  seen: { readonly digest: string; readonly refs: Refs } | undefined;
  /** Consecutive unusable responses, and until when the host is not queried because of them. */
  refusals: number;
  restUntil: number;
};

const rest: Backoff = { initialMs: 60_000, factor: 4, maxMs: 3_600_000 };
const service = 'git-upload-pack';

/** Timeout and size limit of one request. */
export type QuickLimits = { readonly ms: number; readonly most: number };

/** The host to query; `shown` is its URL without a user; `web` is undefined for a repository that is not HTTP. */
type QuickRequest = {
  readonly shown: string;
  readonly web: (ctx: Ctx) => Promise<WebWay | undefined>;
};

/**
 * Lists the refs of a repository over HTTP, as `git ls-remote` does but without a program. It returns refs or
 * undefined, and never fails: without refs the caller runs git, which reports the error.
 *
 * Only repositories that have accepted git are queried, so that nothing is sent where git would not send it, and a host
 * that is down or refuses us is not queried twice for one list.
 */
export class QuickRefs {
  readonly #limits: QuickLimits;
  readonly #observe: SourceObserver | undefined;
  readonly #standings = new Lru<Standing>({ capacity: 10_000 });
  readonly #connections = new ConnectionPool();

  constructor(limits: QuickLimits, observe: SourceObserver | undefined) {
    this.#limits = limits;
    this.#observe = observe;
  }

  /** Records that git had access under this key. */
  vouch(key: string): void {
    if (this.#standings.get(key)) return;
    this.#standings.set(key, { request: undefined, seen: undefined, refusals: 0, restUntil: 0 });
  }

  /** Records that git had no access: it must succeed before the next query. */
  doubt(key: string): void {
    this.#standings.delete(key);
  }

  /** The refs; undefined when they cannot be listed this way. */
  async list(ctx: Ctx, key: string, { shown, web }: QuickRequest): Promise<Refs | undefined> {
    const standing = this.#standings.get(key);
    const now = ctx.clock.now().getTime();
    if (!standing || now < standing.restUntil) return undefined;
    try {
      const way = await web(ctx);
      if (!way) return undefined;
      const requested = { repo: shown, type: 'ls-remote' } as const;
      const refs = await reportRequest(this.#observe, requested, () => this.#requestRefs(ctx, way, standing));
      standing.refusals = 0;
      return refs;
    } catch (error) {
      ctx.signal.throwIfAborted(); // the caller cancelled, which is no failure of the host
      const { message } = error as Error;
      ctx.log.debug('refs are listed with git', { why: message });
      standing.request = undefined;
      standing.seen = undefined;
      standing.restUntil = now + delayOf(rest, standing.refusals, 0);
      standing.refusals += 1;
      return undefined;
    }
  }

  close(): void {
    this.#connections.close();
  }

  async #requestRefs(ctx: Ctx, way: WebWay, standing: Standing): Promise<Refs> {
    if (standing.request === undefined) {
      const hello = await this.#send(ctx, way, { path: `info/refs?service=${service}` });
      const { refs, request } = await readGreeting((await wholeOf(hello, 'advertisement')).pieces);
      if (refs) return refs;
      standing.request = request;
    }
    const answer = await this.#send(ctx, way, { path: service, body: standing.request });
    const { pieces, digest } = await wholeOf(answer, 'result');
    if (standing.seen?.digest === digest) return standing.seen.refs;
    const refs = await readRefList(pieces);
    standing.seen = { digest, refs };
    return refs;
  }

  #send(ctx: Ctx, way: WebWay, { path, body }: { path: string; body?: string }): Promise<WebStream> {
    const { url, authorization, outside, terms } = way;
    const requests = body === undefined ? { accept: '*/*' } : requestWith(body);
    return openWeb(ctx, outside, {
      url: new URL(`${url.href.replace(/\/$/, '')}/${path}`),
      headers: {
        'user-agent': 'git/fairlead', // some hosts speak Git only with user agents that begin so
        'git-protocol': 'version=2',
        ...requests,
        ...(authorization === undefined ? {} : { authorization }),
      },
      ...(body === undefined ? {} : { method: 'POST', body }),
      terms,
      keep: this.#connections,
      ...this.#limits,
    });
  }
}

const requestWith = (body: string): Record<string, string> => ({
  accept: `application/x-${service}-result`,
  'content-type': `application/x-${service}-request`,
  'content-length': String(body.length),
});

type Whole = { readonly pieces: readonly Uint8Array[]; readonly digest: string };

/** The whole body of a response, limited by its request. Throws Unavailable when it is no response of Git's. */
async function wholeOf({ status, headers, body, close }: WebStream, kind: string): Promise<Whole> {
  const isPlain = headers['content-encoding'] === undefined;
  if (status !== 200 || !isPlain || headers['content-type'] !== `application/x-${service}-${kind}`) {
    close();
    throw odd(`status ${status}, or content of another kind`);
  }
  const pieces: Uint8Array[] = [];
  const hash = createHash('sha256');
  for await (const piece of body) {
    pieces.push(piece);
    hash.update(piece);
  }
  return { pieces, digest: hash.digest('base64') };
}
