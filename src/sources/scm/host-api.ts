import { createHash } from 'node:crypto';
import { decodeText, printTime } from '#base/model';
import { type Ctx, FairleadError, isObject, type Lru, parseJson } from '#base/std';
import { type KeptConnections, type Outside, openWeb, type WebStream } from '#sources/repositories';
import { retryAt } from './rate-limit.ts';

export type ScmLimits = {
  /** Size limit of one response in bytes. */
  readonly responseBytes: number;
  /** Timeouts of one request, and of everything that one generator requests. */
  readonly requestMs: number;
  readonly wholeMs: number;
  /** Requests of one generator, and pages of one list. */
  readonly requests: number;
  readonly pages: number;
};

/** A host as a generator names it. */
export type HostSpec = {
  /** As users call it: GitHub, GitLab. */
  readonly provider: string;
  /** What is listed, for messages: `organization acme`. */
  readonly subject: string;
  /** The base URL of the API. */
  readonly base: URL;
  /** Sent with every request; they contain the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The fields that hold the credentials, for messages. */
  readonly login: string;
  readonly insecure?: boolean;
  /** Certificates (PEM) that are trusted beside the machine's. */
  readonly authorities?: string | undefined;
  /** Receives each request, for metrics. */
  readonly observe?: ((reading: HostReading) => void) | undefined;
};

/** One request to a host. */
export type HostReading = {
  readonly method: string;
  readonly path: string;
  /** Undefined: there was no response. */
  readonly status: number | undefined;
  readonly headers: WebStream['headers'];
  readonly ms: number;
  /** When it was over, in milliseconds since 1970. */
  readonly at: number;
};

type CachedResponse = {
  readonly tag: string;
  readonly headers: WebStream['headers'];
  readonly body: Uint8Array;
};

/** The state that all hosts of a client share. */
export type HostShared = {
  readonly outside: () => Outside;
  readonly limits: ScmLimits;
  readonly connections: KeptConnections;
  readonly responses: Lru<CachedResponse>;
  /** By host and credential: when requests are accepted again, in milliseconds since 1970. */
  readonly refusedUntil: Lru<number>;
};

export type Query = Readonly<Record<string, string>>;

/** A response. `value` is its JSON; undefined when it has no body. */
export type HostReply = {
  readonly status: number;
  readonly headers: WebStream['headers'];
  readonly value: unknown;
};

/** How the pages of a list are found: the items of a page, and the query of the next; undefined: it was the last. */
export type Paging = {
  items(value: unknown): unknown;
  next(reply: HostReply, query: Query): Query | undefined;
};

type Options = {
  /** Statuses beside 2xx that the caller handles. */
  readonly allow?: readonly number[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST. */
  readonly body?: string;
  /** The response is a text, not JSON. */
  readonly isText?: boolean;
};

const mostHops = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * The API of one host. Credentials are sent to its origin only, and no message contains them. Every response is limited in
 * size and time; a host that limits requests is not requested again before the time it names.
 */
export class HostApi {
  readonly #host: HostSpec;
  readonly #shared: HostShared;
  readonly #identity: string;
  #requests = 0;

  constructor(host: HostSpec, shared: HostShared) {
    this.#host = host;
    this.#shared = shared;
    this.#identity = createHash('sha256')
      .update(JSON.stringify([host.base.href, host.headers, host.insecure, host.authorities]))
      .digest('base64');
  }

  /** The provider and the host, for messages: `GitHub at api.github.com`. */
  get name(): string {
    return `${this.#host.provider} at ${this.#host.base.host}`;
  }

  /** The host with its port, as requests name it. */
  get host(): string {
    return this.#host.base.host;
  }

  get subject(): string {
    return this.#host.subject;
  }

  /** The host and the credential, as a key of caches. It reveals neither. */
  get identity(): string {
    return this.#identity;
  }

  /** One response. Throws NotFound, Auth, LimitExceeded or Unavailable for any status that is not allowed. */
  async request(ctx: Ctx, path: string, query: Query = {}, options: Options = {}): Promise<HostReply> {
    const url = this.#urlOf(path, query);
    const key = `${this.#identity} ${url.href}`;
    const cached = options.body === undefined ? this.#shared.responses.get(key) : undefined;
    const tagged = cached ? { ...options.headers, 'if-none-match': cached.tag } : options.headers;
    const stream = await this.#open(ctx, url, { ...options, headers: tagged ?? {} });
    const { status, headers } = stream;
    if (status === 304 && cached) {
      stream.close();
      return { status: 200, headers: cached.headers, value: this.#parsed(cached.body) };
    }
    this.#refuseUnlessAllowed(ctx, stream, options.allow);
    const body = await this.#bodyOf(stream);
    const { etag } = headers;
    if (status === 200 && typeof etag === 'string' && options.body === undefined)
      this.#shared.responses.set(key, { tag: etag, headers, body });
    return { status, headers, value: options.isText ? decodeText(body) : this.#parsed(body, status) };
  }

  /** All items of a list, page by page. Throws as `request` does, and LimitExceeded for too many pages. */
  async list(ctx: Ctx, path: string, query: Query, paging: Paging): Promise<unknown[]> {
    const reply = await this.request(ctx, path, query);
    return this.#following(ctx, path, { reply, query, paging });
  }

  /** As `list`; undefined when the host has no such list (status 404). */
  async listIfThere(ctx: Ctx, path: string, query: Query, paging: Paging): Promise<unknown[] | undefined> {
    const reply = await this.request(ctx, path, query, { allow: [404] });
    return reply.status === 404 ? undefined : this.#following(ctx, path, { reply, query, paging });
  }

  /** The items of a first page and of those that follow it. */
  async #following(
    ctx: Ctx,
    path: string,
    first: { readonly reply: HostReply; readonly query: Query; readonly paging: Paging },
  ): Promise<unknown[]> {
    const { paging } = first;
    const found: unknown[] = [];
    let { reply } = first;
    let query: Query | undefined = first.query;
    for (let pages = 1; ; pages++) {
      const items = paging.items(reply.value);
      if (!Array.isArray(items)) throw this.unreadable('the list has no items');
      for (const item of items) found.push(item);
      query = paging.next(reply, query);
      if (!query) return found;
      if (pages >= this.#shared.limits.pages) throw this.#tooMuch(`a list of more than ${pages} pages`);
      reply = await this.request(ctx, path, query);
    }
  }

  /** Whether a resource exists, by the status of its response; its content is not read. */
  async exists(ctx: Ctx, path: string, query: Query = {}): Promise<boolean> {
    const stream = await this.#open(ctx, this.#urlOf(path, query), {});
    this.#refuseUnlessAllowed(ctx, stream, [404]);
    stream.close();
    return stream.status !== 404;
  }

  /** The error of a response that is not as documented. */
  unreadable(why: string): FairleadError {
    return new FairleadError(
      'Unavailable',
      `${this.name} answered for ${this.subject} with something unreadable (${why}): check that api is the URL of ${this.#host.provider}`,
    );
  }

  #urlOf(path: string, query: Query): URL {
    const { base } = this.#host;
    const url = new URL(`${base.origin}${base.pathname.replace(/\/+$/, '')}${path}`);
    url.search = new URLSearchParams(query).toString();
    return url;
  }

  /** Follows redirects within the origin, so that credentials never leave it. */
  async #open(ctx: Ctx, first: URL, options: Options): Promise<WebStream> {
    this.#refuseWhileLimited(ctx);
    let url = first;
    for (let hops = 0; hops <= mostHops; hops++) {
      const stream = await this.#send(ctx, url, options);
      if (!redirects.has(stream.status)) return stream;
      stream.close();
      url = this.#redirected(url, stream.headers.location);
    }
    throw this.#unavailable('it redirects without end');
  }

  async #send(ctx: Ctx, url: URL, { headers, body }: Options): Promise<WebStream> {
    const { limits, outside, connections } = this.#shared;
    this.#requests += 1;
    if (this.#requests > limits.requests) throw this.#tooMuch(`more than ${limits.requests} requests`);
    const { insecure, authorities } = this.#host;
    const over = this.#begin(ctx, url, body === undefined ? 'GET' : 'POST');
    const request = openWeb(ctx, outside(), {
      url,
      headers: { 'user-agent': 'fairlead', accept: 'application/json', ...this.#host.headers, ...headers },
      ...(body !== undefined && { method: 'POST' as const, body }),
      terms: { insecure, authorities },
      keep: connections,
      most: limits.responseBytes,
      ms: limits.requestMs,
    });
    return request.then(
      (stream) => {
        over(stream);
        return stream;
      },
      (error: unknown) => {
        over();
        throw this.#explained(error);
      },
    );
  }

  /** A request begins; the returned function reports that it is over. */
  #begin({ clock }: Ctx, { pathname }: URL, method: string) {
    const { observe } = this.#host;
    const began = performance.now();
    return (stream?: Pick<WebStream, 'status' | 'headers'>): void =>
      observe?.({
        method,
        path: pathname,
        status: stream?.status,
        headers: stream?.headers ?? {},
        ms: performance.now() - began,
        at: clock.now().getTime(),
      });
  }

  /** Names the provider and what was listed in an error of the connection. */
  #explained(error: unknown): unknown {
    if (!(error instanceof FairleadError)) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ERR_INVALID_CHAR') return error;
      return new FairleadError(
        'InvalidSpec',
        `${this.name}: ${this.#host.login} holds characters that no header may have: correct the Secret`,
      );
    }
    return new FairleadError(
      error.code,
      `${this.#host.provider} cannot be listed for ${this.subject}: ${error.message}`,
      error,
    );
  }

  async #bodyOf(stream: WebStream): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of stream.body) chunks.push(chunk);
    } catch (error) {
      throw this.#explained(error);
    }
    return Buffer.concat(chunks);
  }

  #parsed(body: Uint8Array, status = 200): unknown {
    const text = decodeText(body);
    if (text.trim() === '') return undefined;
    try {
      return parseJson(text);
    } catch {
      if (status >= 300) return undefined;
      throw this.unreadable('it is no JSON');
    }
  }

  #redirected(from: URL, location: string | string[] | undefined): URL {
    const text = typeof location === 'string' ? location : '';
    const to = URL.canParse(text, from.href) ? new URL(text, from.href) : undefined;
    if (to?.origin === from.origin) return to;
    throw this.#unavailable(
      to
        ? `it redirects to ${to.origin}, where the credentials are not sent: set api to the URL that answers`
        : 'it redirects to an unreadable URL',
    );
  }

  #refuseWhileLimited({ clock }: Ctx): void {
    const until = this.#shared.refusedUntil.get(this.#identity);
    if (until !== undefined && until > clock.now().getTime()) throw this.#limited(until);
  }

  /** Throws the error of a status that is not successful, unless the caller handles it. */
  #refuseUnlessAllowed(ctx: Ctx, stream: WebStream, allow: readonly number[] = []): void {
    const { status } = stream;
    const until = retryAt(stream, ctx.clock.now());
    if (until === undefined && ((status >= 200 && status < 300 && status !== 203) || allow.includes(status)))
      return;
    stream.close();
    if (until !== undefined) {
      this.#shared.refusedUntil.set(this.#identity, until);
      throw this.#limited(until);
    }
    throw this.#refusal(status);
  }

  #limited(until: number): FairleadError {
    return new FairleadError(
      'Unavailable',
      `${this.name} limits our requests for ${this.subject}: it accepts them again after ${printTime(new Date(until))}; use credentials with a higher limit, or a longer requeueAfterSeconds`,
    );
  }

  #refusal(status: number): FairleadError {
    // Azure DevOps answers 203 with its sign-in page
    if (status === 401 || status === 403 || status === 203) {
      return new FairleadError(
        'Auth',
        `${this.name} refuses access to ${this.subject} (status ${status}): check ${this.#host.login} and what it permits`,
      );
    }
    if (status === 404 || status === 410) {
      return new FairleadError(
        'NotFound',
        `${this.name} has no ${this.subject}, or hides it from these credentials (status ${status}): check the name and ${this.#host.login}`,
      );
    }
    if (status < 500) {
      return new FairleadError(
        'InvalidSpec',
        `${this.name} rejects the request for ${this.subject} (status ${status}): check api and the names`,
      );
    }
    return this.#unavailable(`it answers with status ${status}`);
  }

  #unavailable(why: string): FairleadError {
    return new FairleadError('Unavailable', `${this.name} is unavailable for ${this.subject}: ${why}`);
  }

  #tooMuch(what: string): FairleadError {
    return new FairleadError(
      'LimitExceeded',
      `${this.name} needs ${what} for ${this.subject}, which is beyond the limit: list less, for instance without allBranches, or divide it among several generators`,
    );
  }
}

/** The text of a nested field; '' when there is none. Numbers are printed. */
export function textAt(value: unknown, ...keys: readonly string[]): string {
  const found = at(value, keys);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'bigint'
    ? `${found}`
    : '';
}

/** The list of a nested field; empty when there is none. */
export function listAt(value: unknown, ...keys: readonly string[]): readonly unknown[] {
  const found = at(value, keys);
  return Array.isArray(found) ? found : [];
}

function at(value: unknown, keys: readonly string[]): unknown {
  let found = value;
  for (const key of keys) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}
