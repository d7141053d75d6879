import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Writable } from 'node:stream';
import { frameOf, grpcCode, statusHeaders, trailerFrame } from '#serve/grpc';
import { write } from '../rest/stream.ts';

export type GrpcRequest = IncomingMessage | Http2ServerRequest;

/** How a call is spoken. */
export type GrpcForm = { readonly contentType: string; readonly isWeb: boolean };

/**
 * The response to a call. compat server §3.4: the client of Argo CD reads the status of gRPC-web from the headers alone, so a call
 * that failed before its first message has it there, and one that failed later is cut off.
 */
export class GrpcAnswer {
  readonly #response: ServerResponse | Http2ServerResponse;
  readonly #form: GrpcForm;
  #isBegun = false;
  #isEnded = false;

  constructor(response: ServerResponse | Http2ServerResponse, form: GrpcForm) {
    this.#response = response;
    this.#form = form;
  }

  /** Sends the headers now: a stream may have no message for a long time. */
  begin(): void {
    if (this.#isBegun || this.#isEnded) return;
    this.#isBegun = true;
    writeHead(this.#response, this.#headers());
  }

  /** Resolves when a slow reader has taken it. */
  async message(parts: readonly Uint8Array[]): Promise<void> {
    this.begin();
    for (const piece of piecesOf(frameOf(parts))) {
      if (this.#isEnded || isGone(this.#response)) return;
      await writeAll(this.#response, piece);
    }
  }

  /** Once; what comes later is ignored. */
  end(code: number, message = ''): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const status = statusHeaders(code, message);
    const response = this.#response;
    if (isGone(response)) return;
    if (!this.#isBegun) endWithHeaders(response, { ...this.#headers(), ...status });
    else if (response instanceof Http2ServerResponse && !this.#form.isWeb) {
      response.addTrailers(status);
      endResponse(response);
    } else if (code === grpcCode.ok) {
      endResponse(response, trailerFrame(status));
    } else response.destroy();
  }

  #headers(): Record<string, string> {
    const { contentType } = this.#form;
    return {
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
      'grpc-accept-encoding': 'identity',
    };
  }
}

const pieceLength = 64 * 1024;

/** Many small parts in fewer pieces: the transport takes about as long for a small one as for a large one. */
function* piecesOf(parts: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  let [held, length]: [Uint8Array[], number] = [[], 0];
  for (const part of parts) {
    held.push(part);
    length += part.length;
    if (length < pieceLength) continue;
    yield held;
    [held, length] = [[], 0];
  }
  if (held.length > 0) yield held;
}

/** Whether the client has left. A response of HTTP/2 has no such property of its own. */
const isGone = (response: ServerResponse | Http2ServerResponse): boolean =>
  response instanceof Http2ServerResponse ? isClosed(response.stream) : response.destroyed;

/** A stream that its client has reset throws when it is responded to. */
export const isClosed = ({ closed, destroyed }: Http2ServerResponse['stream']): boolean =>
  closed || destroyed;

/** Hands all parts to the transport at once, without copying them; resolves when a slow reader has taken them. */
async function writeAll(response: Writable, parts: readonly Uint8Array[]): Promise<void> {
  const last = parts.length - 1;
  response.cork();
  for (const part of parts.slice(0, last)) response.write(part);
  const written = write(response, parts[last] ?? new Uint8Array());
  response.uncork();
  await written;
}

/** The two kinds of response have the same method with types of their own. */
function writeHead(response: ServerResponse | Http2ServerResponse, headers: Record<string, string>): void {
  if (response instanceof Http2ServerResponse) response.writeHead(200, headers);
  else response.writeHead(200, headers).flushHeaders();
}

/** Over HTTP/2 in one frame: a client takes headers without an end for those of a message, and misses the trailers. */
function endWithHeaders(
  response: ServerResponse | Http2ServerResponse,
  headers: Record<string, string>,
): void {
  if (!(response instanceof Http2ServerResponse)) {
    response.writeHead(200, headers).end();
    return;
  }
  const { stream, req } = response;
  stream.respond({ ':status': 200, ...headers }, { endStream: true });
  if (!req.complete) stream.close(constants.NGHTTP2_NO_ERROR);
}

/** A client that is still sending is stopped: nothing reads it. */
function endResponse(
  response: ServerResponse | Http2ServerResponse,
  last: Uint8Array = new Uint8Array(),
): void {
  if (!(response instanceof Http2ServerResponse)) {
    response.end(last);
    return;
  }
  const { stream } = response;
  response.on('finish', () => {
    if (!response.req.complete && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR);
  });
  response.end(last);
}
