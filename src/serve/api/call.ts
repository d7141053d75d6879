import { FairleadError, parseJson, printJson } from '#base/std';
import { type Endpoint, fillPath, type HttpMethod, type PathParams } from './endpoint.ts';
import { codeOf, type ErrorBody } from './errors.ts';

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
export type CallOptions<Body> = { params?: PathParams; query?: Query; body?: Body; signal?: AbortSignal };

export type ApiRequest = {
  method: HttpMethod;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
};
export type ApiResponse = { status: number; text(): Promise<string>; lines(): AsyncIterable<string> };
/** The transport of a request: the browser's fetch, or the command line's own. */
export type Send = (request: ApiRequest) => Promise<ApiResponse>;

/** Sends one request. Throws FairleadError with the server's message when it refuses. */
export async function call<Body, Out>(
  send: Send,
  to: Endpoint<Body, Out>,
  options: CallOptions<Body> = {},
): Promise<Out> {
  const response = await send(requestOf(to, options));
  const text = await response.text();
  if (response.status >= 400) throw refusal(response.status, text, namedBy(to.path, options.params));
  return parseJson(text) as Out;
}

/** Follows a stream until the server ends it, the signal aborts, or an error message arrives, which is thrown. */
export async function* follow<Out>(
  send: Send,
  to: Endpoint<undefined, Out>,
  options: CallOptions<undefined> = {},
): AsyncGenerator<Out> {
  const response = await send(requestOf(to, options));
  if (response.status >= 400)
    throw refusal(response.status, await response.text(), namedBy(to.path, options.params));
  for await (const line of response.lines()) {
    if (line.trim() === '') continue;
    const message = parseJson(line) as { result?: Out; error?: { message?: string; http_code?: number } };
    if (message.error)
      throw new FairleadError(
        codeOf(message.error.http_code ?? 500),
        message.error.message ?? 'stream failed',
      );
    if (message.result !== undefined) yield message.result;
  }
}

function requestOf<Body>(to: Endpoint<Body, unknown>, options: CallOptions<Body>): ApiRequest {
  const query = queryOf(options.query ?? {});
  return {
    method: to.method,
    path: fillPath(to.path, options.params ?? {}) + (query && `?${query}`),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    ...(options.body !== undefined && { body: printJson(options.body) }),
    ...(options.signal && { signal: options.signal }),
  };
}

function queryOf(query: Query): string {
  return Object.entries(query)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one) => [name, String(one)] as const),
    )
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}

function refusal(status: number, text: string, named: string | undefined): FairleadError {
  const message = messageIn(text) ?? `the server answered ${status}`;
  // compat server §2.4: the server does not reveal which of the two it is
  const isHidden = message === 'permission denied' && named !== undefined;
  return new FairleadError(
    codeOf(status),
    isHidden ? `"${named}" not found, or you may not see it` : message,
  );
}

/** The object of a request: the first one that its path names. */
const namedBy = (path: string, params: PathParams = {}): string | undefined =>
  params[/:(\w+)/.exec(path)?.[1] ?? ''];

function messageIn(text: string): string | undefined {
  try {
    const { message, error } = JSON.parse(text) as Partial<ErrorBody> & { error?: { message?: string } };
    return message ?? error?.message;
  } catch {
    return text.trim().slice(0, 300) || undefined; // plain text, as for an unknown route
  }
}
