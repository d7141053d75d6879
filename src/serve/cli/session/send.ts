import type { IncomingMessage, RequestOptions } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { FairleadError, realClock } from '#base/std';
import type { ApiRequest, ApiResponse, Send } from '#serve/api';
import type { Io } from '../io.ts';
import type { ServerEntry } from './config-file.ts';

/** What every request has, whatever it is for. */
export type Sending = {
  readonly headers?: Readonly<Record<string, string>>;
  /** How often a read that could not be sent is repeated. */
  readonly retries?: number;
};

/** A transport to this server, over TLS unless it is plain text. */
export function sendTo(
  entry: ServerEntry,
  token: string | undefined,
  { trust }: Pick<Io, 'trust'>,
  { headers = {}, retries = 0 }: Sending = {},
): Send {
  const isPlain = entry['plain-text'] === true;
  const origin = new URL(`${isPlain ? 'http' : 'https'}://${entry.server}`);
  const once: Send = async (request) => {
    const isChecked = !isPlain && entry.insecure !== true;
    const certificates = certificatesOf(entry);
    const secureContext = isChecked && !certificates ? await trust?.() : undefined;
    const options = {
      ...optionsOf({ ...request, headers: { ...request.headers, ...headers } }, token),
      rejectUnauthorized: isChecked,
      ...certificates,
      ...(secureContext && { secureContext }),
    };
    // TLS takes a while to load, and a server on this machine rarely speaks it
    const { request: open } = isPlain ? await import('node:http') : await import('node:https');
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const url = new URL(`${rootPathOf(entry)}${request.path}`, origin);
      const outgoing = open(url, options, resolve);
      outgoing.on('error', (error) => reject(unreachable(entry.server, error)));
      outgoing.end(request.body);
    });
    return answerOf(response);
  };
  return (request) => repeated(once, request, request.method === 'GET' ? retries : 0);
}

/** Repeats a request that could not be sent; a server that cannot be trusted is not tried again. */
async function repeated(send: Send, request: ApiRequest, retries: number): Promise<ApiResponse> {
  try {
    return await send(request);
  } catch (error) {
    const isFinal = retries <= 0 || request.signal?.aborted || isUntrusted(error) || isPlainServer(error);
    if (isFinal) throw error;
  }
  await realClock.sleep(250, request.signal ?? never);
  return repeated(send, request, retries - 1);
}

/** The authority that the server is checked with, and the certificate to identify with; undefined: neither is given. */
function certificatesOf(entry: ServerEntry): Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> | undefined {
  const pem = (data: string): string => Buffer.from(data, 'base64').toString('utf8');
  const ca = entry['certificate-authority-data'];
  const cert = entry['client-certificate-data'];
  const key = entry['client-certificate-key-data'];
  if (!ca && !cert) return undefined;
  return { ...(ca && { ca: pem(ca) }), ...(cert && key && { cert: pem(cert), key: pem(key) }) };
}

const never = new AbortController().signal;

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

function wordsFor({ code = '', message }: Error & { code?: string }): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there; is fairlead running?';
  if (code === 'ENOTFOUND') return 'there is no such host';
  if (isNoTls({ code, message })) return 'it does not speak TLS; use --plaintext';
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

/** True when the server responded to a TLS handshake in plain HTTP, or closed the connection at its sight. */
export function isPlainServer(error: unknown): boolean {
  const { code = '', message = '' } = (FairleadError.from(error).cause ??
    {}) as Partial<NodeJS.ErrnoException>;
  return isNoTls({ code, message });
}

const isNoTls = ({ code, message }: { readonly code: string; readonly message: string }): boolean =>
  code === 'EPROTO' || (code === 'ECONNRESET' && message.includes('before secure TLS connection'));
