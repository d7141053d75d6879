import { finalizer } from '#base/model';
import { type Ctx, FairleadError, parseJson } from '#base/std';
import { readLines, readText } from './body.ts';
import { bounded } from './bounded.ts';
import { refusal } from './errors.ts';
import { type QueryParameters, withQuery } from './path.ts';
import type { KubeBody, KubeResponse, Transport } from './transport.ts';
import { warningsIn } from './warnings.ts';

export type HttpRequest = {
  readonly method: string;
  readonly path: string;
  readonly query?: QueryParameters;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  /** Called with each warning of the API server, for a caller that shows them to a user. */
  readonly onWarning?: ((message: string) => void) | undefined;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/** Requests over a transport: refusals become KubeError, `Retry-After` is waited out, warnings are heard. */
export type Http = {
  /** The whole response. */
  text(ctx: Ctx, request: HttpRequest): Promise<HttpAnswer>;
  /** The whole response, read as JSON without losing a digit. */
  json(ctx: Ctx, request: HttpRequest): Promise<unknown>;
  /**
   * Resolves when the server has accepted; then yields the response line by line until the stream ends. The
   * request ends when the reader stops or `ctx` does, so a caller that does not read must end its `ctx`.
   */
  lines(ctx: Ctx, request: HttpRequest): Promise<AsyncGenerator<string>>;
};

export type HttpOptions = { readonly transport: Transport; readonly impersonate?: string | undefined };

/** The timeout of a whole response; a stream has no such limit. */
const answerMs = 60_000;
const maxRetries = 10;
const maxRetryAfterMs = 60_000;
const maxCached = 1_000;

export function createHttp({ transport, impersonate }: HttpOptions): Http {
  const heard = new Set<string>();
  const always: Record<string, string> = { 'user-agent': 'fairlead' };
  if (impersonate) always['impersonate-user'] = impersonate;

  async function attempt(ctx: Ctx, request: HttpRequest, signal: AbortSignal): Promise<KubeResponse> {
    const { body } = request;
    const response = await transport({
      method: request.method,
      path: withQuery(request.path, request.query),
      headers: headersFor(request, always),
      ...(body !== undefined && { body: typeof body === 'string' ? Buffer.from(body) : body }),
      signal,
    });
    const headers = lowerCased(response.headers);
    for (const message of warningsIn(headers.warning)) {
      request.onWarning?.(message);
      if (isNews(heard, message)) ctx.log.warn('kubernetes warns', { warning: message, path: request.path });
    }
    return { ...response, headers };
  }

  async function once(ctx: Ctx, request: HttpRequest): Promise<HttpAnswer> {
    const what = `${request.method} ${request.path}`;
    return bounded(ctx.signal, { ms: answerMs, what }, async (signal) => {
      const { status, headers, body } = await attempt(ctx, request, signal);
      const answer = { status, headers, text: await readText(body) };
      signal.throwIfAborted(); // a body may end quietly where it was cut
      return answer;
    });
  }

  async function text(ctx: Ctx, request: HttpRequest): Promise<HttpAnswer> {
    for (let tries = 0; ; tries++) {
      const answer = await once(ctx, request);
      if (isGranted(answer)) return answer;
      await waitOrThrow(ctx, answer, tries);
    }
  }

  return {
    text,
    async json(ctx, request) {
      const answer = await text(ctx, request);
      return parsed(answer.text, request);
    },
    async lines(ctx, request) {
      for (let tries = 0; ; tries++) {
        ctx.signal.throwIfAborted();
        const response = await attempt(ctx, request, ctx.signal);
        if (isGranted(response)) return linesIn(response.body, ctx.signal);
        await waitOrThrow(ctx, { ...response, text: await readText(response.body) }, tries);
      }
    },
  };
}

/** An API server does not redirect; a redirect comes from something in between. */
function isGranted({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

/** A stream that ended because its reader's time was over did not come to its end. */
async function* linesIn(body: KubeBody, signal: AbortSignal): AsyncGenerator<string> {
  yield* readLines(body);
  signal.throwIfAborted();
}

function headersFor(request: HttpRequest, always: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {
    ...always,
    accept: request.accept ?? 'application/json',
    ...request.headers,
  };
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  return headers;
}

/** Waits when the API server sent Retry-After; throws any other error. */
async function waitOrThrow(ctx: Ctx, answer: HttpAnswer, tries: number): Promise<void> {
  const waitMs = retryAfterMs(answer);
  if (waitMs === undefined || tries >= maxRetries) throw refusal(answer.status, lenient(answer.text));
  ctx.log.debug('rate limited by the API server', { status: answer.status, waitMs });
  await ctx.clock.sleep(waitMs, ctx.signal);
}

// Only with the header: a bare 503 may come from a proxy in front of a server that already did the work.
function retryAfterMs({ status, headers }: HttpAnswer): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const seconds = Number(headers['retry-after'] || Number.NaN);
  return Number.isFinite(seconds) ? Math.min(maxRetryAfterMs, Math.max(0, seconds * 1000)) : undefined;
}

/** The JSON of a response. */
export function parsed(text: string, { method, path }: HttpRequest): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new FairleadError('Unavailable', `the answer to ${method} ${path} is not JSON`, error);
  }
}

export function lenient(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // a proxy's page; refusal() has a message for it
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const name in headers) lower[name.toLowerCase()] = headers[name] ?? '';
  return lower;
}

/**
 * Kubernetes warns about the name of this finalizer; it is Argo CD's, and no reader of the log can change it.
 */
const settledName = `"${finalizer.resources}"`;

/** A deprecated kind warns on every request; the log hears each sentence once. */
function isNews(heard: Set<string>, message: string): boolean {
  if (heard.has(message) || heard.size >= maxCached || message.includes(settledName)) return false;
  heard.add(message);
  return true;
}
