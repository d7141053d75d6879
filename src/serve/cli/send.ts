import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { FairleadError } from '#base/std';
import type { ApiRequest, ApiResponse, Send } from '#serve/api';
import type { ServerEntry } from './config-file.ts';
import type { Io } from './io.ts';

/** A transport to this server, over TLS unless it is plain text. */
export function sendTo(entry: ServerEntry, token: string | undefined, { trust }: Pick<Io, 'trust'>): Send {
  const isPlain = entry['plain-text'] === true;
  const origin = new URL(`${isPlain ? 'http' : 'https'}://${entry.server}`);
  return async (request) => {
    const isChecked = !isPlain && entry.insecure !== true;
    const ca = authorityOf(entry);
    const secureContext = isChecked && !ca ? await trust?.() : undefined;
    const options = {
      ...optionsOf(request, token),
      rejectUnauthorized: isChecked,
      ...ca,
      ...(secureContext && { secureContext }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(`${rootPathOf(entry)}${request.path}`, origin);
      const outgoing = (isPlain ? httpRequest : httpsRequest)(url, options, resolve);
      outgoing.on('error', (error) => reject(unreachable(entry.server, error)));
      outgoing.end(request.body);
    });
    return answerOf(response);
  };
}

function authorityOf(entry: ServerEntry): Pick<SecureContextOptions, 'ca'> | undefined {
  const data = entry['certificate-authority-data'];
  return data ? { ca: Buffer.from(data, 'base64').toString('utf8') } : undefined;
}

/** The path that the server is served at: empty, or `/argo-cd`. */
export const rootPathOf = (entry: ServerEntry): string => {
  const path = (entry['grpc-web-root-path'] ?? '').replace(/^\/+|\/+$/g, '');
  return path && `/${path}`;
};

function optionsOf({ method, headers, signal }: ApiRequest, token: string | undefined): RequestOptions {
  return {
    method,
    headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
    ...(signal && { signal }),
  };
}

function answerOf(response: IncomingMessage): ApiResponse {
  return {
    status: response.statusCode ?? 0,
    async text() {
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
    lines: () => linesOf(response),
  };
}

/** Closes the response when the caller stops reading: an open stream would keep the program running. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    throw new FairleadError('Unavailable', 'the connection to the server was lost', error);
  } finally {
    response.destroy();
  }
}

function unreachable(server: string, error: Error & { code?: string }): Error {
  if (error.name === 'AbortError') return error;
  return new FairleadError('Unavailable', `cannot reach ${server}: ${wordsFor(error)}`, error);
}

const unknownIssuer: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function wordsFor({ code, message }: Error & { code?: string }): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there; is fairlead running?';
  if (code === 'EPROTO') return 'it does not speak TLS; use --plaintext';
  if (unknownIssuer.has(code ?? ''))
    return 'its certificate is not trusted: name its authority in SSL_CERT_FILE or with --server-crt, or use --insecure to accept it';
  return message;
}

/** True when the server's certificate is what kept us from talking to it. */
export function isUntrusted(error: unknown): boolean {
  const cause = FairleadError.from(error).cause as { code?: string } | undefined;
  return unknownIssuer.has(cause?.code ?? '') || badCertificate.has(cause?.code ?? '');
}

const badCertificate: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']);

/** True when the server responded to a TLS handshake in plain HTTP. */
export function isPlainServer(error: unknown): boolean {
  const cause = FairleadError.from(error).cause as { code?: string } | undefined;
  return cause?.code === 'EPROTO';
}
