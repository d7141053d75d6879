import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders as Http2Headers, ServerHttp2Stream } from 'node:http2';
import type { Readable, Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { FairleadError } from '#base/std';
import type { RequestUser } from './authorize.ts';
import type { ServedRequest, ServedResponse } from './request.ts';

/** One request and the sink of its response, for HTTP/1.1 and HTTP/2. */
export type Exchange = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The identity of the connection while it lasts. */
  readonly connection: object;
  socket(): TLSSocket;
  readonly incoming: Readable;
  readonly outgoing: Writable;
  /** Sends status and headers; `atOnce` when the body may take long. */
  head(status: number, headers: Record<string, string>, atOnce: boolean): void;
};

/** The abort reason of a finished request; created once, because every request ends. */
export const gone = new FairleadError('Unavailable', 'the client has gone away');

/** HTTP/2, on the stream itself: Node's compatibility layer doubles the cost of a request. */
export function overHttp2(stream: ServerHttp2Stream, headers: Http2Headers): Exchange {
  // a broken stream also closes, and the close is handled
  stream.on('error', () => {});
  if (headers.expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
  return {
    method: headers[':method'] ?? '',
    path: headers[':path'] ?? '',
    headers,
    connection: stream.session ?? stream,
    socket: () => stream.session?.socket as TLSSocket,
    incoming: stream,
    outgoing: stream,
    head: (status, answered) => {
      if (!stream.destroyed && !stream.closed) stream.respond({ ':status': status, ...answered });
    },
  };
}

export function overHttp1(request: IncomingMessage, response: ServerResponse): Exchange {
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    connection: request.socket,
    socket: () => request.socket as TLSSocket,
    incoming: request,
    outgoing: response,
    head: (status, answered, atOnce) => {
      response.writeHead(status, answered);
      if (atOnce) response.flushHeaders();
    },
  };
}

/** The request for the core, once its body has arrived. Rejects when the client disconnects before that. */
export async function receiveRequest(
  exchange: Exchange,
  peer: RequestUser | 'unknown',
): Promise<ServedRequest> {
  const body = await bodyOf(exchange);
  return new ExchangedRequest(exchange, peer, body);
}

class ExchangedRequest implements ServedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: ServedRequest['headers'];
  readonly peer: RequestUser | 'unknown';
  readonly body?: Uint8Array;
  readonly #outgoing: Writable;
  #over: AbortController | undefined;

  constructor(exchange: Exchange, peer: RequestUser | 'unknown', body: Uint8Array | undefined) {
    this.method = exchange.method;
    this.path = exchange.path;
    this.headers = headersOf(exchange.headers);
    this.peer = peer;
    if (body) this.body = body;
    this.#outgoing = exchange.outgoing;
  }

  /** Created on demand: only long requests use it, an ordinary one is over before a client could disconnect. */
  get signal(): AbortSignal {
    this.#over ??= endOf(this.#outgoing);
    return this.#over.signal;
  }
}

function endOf(outgoing: Writable): AbortController {
  const over = new AbortController();
  if (outgoing.destroyed) over.abort(gone);
  else outgoing.on('close', () => over.abort(gone));
  return over;
}

const limit = 4 * 1024 * 1024; // the handler refuses above 3 MiB; this only bounds the memory until then

function bodyOf({ method, incoming }: Exchange): Promise<Uint8Array | undefined> | undefined {
  if (method === 'GET' || method === 'HEAD') {
    incoming.resume();
    return undefined;
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
    });
    incoming.on('end', () => {
      // an aborted body also emits end
      if ((incoming as { aborted?: boolean }).aborted) reject(gone);
      else resolve(chunks.length < 2 ? chunks[0] : Buffer.concat(chunks));
    });
    incoming.on('close', () => reject(gone));
  });
}

/** Headers with lower-case names. */
export function headersOf(given: IncomingHttpHeaders): ServedRequest['headers'] {
  const headers: Record<string, string> = {};
  for (const name in given) {
    const value = given[name];
    if (value !== undefined && !name.startsWith(':')) {
      headers[name] = typeof value === 'string' ? value : value.join(', ');
    }
  }
  return headers;
}

/** Sends the response, a stream as it arrives. Resolves when all is written or the client has disconnected. */
export async function send(exchange: Exchange, answer: ServedResponse): Promise<void> {
  const { status, headers, body } = answer;
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  // compat cluster 2.5: clients wait for the headers of a watch before they wait for events
  exchange.head(status, headers, !isWhole);
  if (!isWhole) return sendStream(exchange.outgoing, body, answer.overrun);
  if (exchange.method === 'HEAD') exchange.outgoing.end();
  else exchange.outgoing.end(body);
}

type Pieces = AsyncIterable<string | Uint8Array>;

async function sendStream(outgoing: Writable, body: Pieces, overrun: AbortSignal | undefined): Promise<void> {
  for await (const piece of body) {
    if (outgoing.destroyed || outgoing.closed) return;
    if (outgoing.write(piece)) continue;
    await drained(outgoing, overrun);
    // contract cluster 3.3: a client that reads slower than events are dropped is disconnected
    if (overrun?.aborted && outgoing.writableNeedDrain) outgoing.destroy();
  }
  outgoing.end();
}

async function drained(outgoing: Writable, overrun: AbortSignal | undefined): Promise<void> {
  if (overrun?.aborted) return;
  const over = new AbortController();
  const ends = [once(outgoing, 'drain', over), once(outgoing, 'close', over)];
  if (overrun) ends.push(once(overrun, 'abort', over));
  await Promise.race(ends).finally(() => over.abort());
}
