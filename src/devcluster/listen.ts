import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { type Ctx, FairleadError, printJson, realClock } from '#std';
import { groupHeader, userHeader } from './authorize.ts';
import { type Certificates, certificatesIn } from './certificates.ts';
import type { Cluster } from './cluster.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import { unauthorized } from './status.ts';

export type Listener = {
  readonly url: string;
  readonly kubeconfigPath: string;
  /** Stops accepting, ends what is open. Safe to repeat. */
  close(): Promise<void>;
};

export type ListenOptions = {
  /** 0 picks a free one. */
  readonly port: number;
  readonly host?: string;
  /** Where certificates (`pki/`) and the kubeconfig are kept. */
  readonly dir: string;
};

/** Serves the cluster over HTTPS (HTTP/2 and HTTP/1.1) to whoever holds the kubeconfig it writes. */
export async function listen(ctx: Ctx, cluster: Cluster, options: ListenOptions): Promise<Listener> {
  const { port, host = '127.0.0.1', dir } = options;
  const hosts = [...new Set([host, '127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default.svc'])];
  // clients check these against the time of the world, whatever the cluster's own clock says
  const certificates = await certificatesIn(join(dir, 'pki'), hosts, realClock.now());
  const server = secureServer(certificates);
  const close = closer(server);
  server.on('request', (request, response) => {
    serve(ctx, cluster, request, response).catch((error: unknown) => {
      ctx.log.debug('a connection to the embedded cluster broke', { error });
      response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, port);
  });
  server.on('error', (error) => ctx.log.warn('the embedded cluster has trouble listening', { error }));
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  const kubeconfigPath = join(dir, 'kubeconfig');
  await writeKubeconfig(kubeconfigPath, url, certificates);
  await cluster.trust(certificates.authority);
  ctx.signal.addEventListener('abort', () => {
    close().catch(() => {});
  });
  return { url, kubeconfigPath, close };
}

function secureServer({ server: { certificate, key }, authority }: Certificates): Http2SecureServer {
  const server = createSecureServer({
    cert: certificate,
    key,
    ca: authority,
    requestCert: true,
    rejectUnauthorized: false, // probes may come without a certificate; everybody else is told 401
    allowHTTP1: true,
    // Go sends everything through one connection: a few large lists side by side are no reason to break it
    maxSessionMemory: 1024,
  });
  // compat 2.6: Go keeps idle connections for 90 s; a server that closes them sooner breaks requests at random
  const patience = { keepAliveTimeout: 120_000, headersTimeout: 130_000, requestTimeout: 0, timeout: 0 };
  return Object.assign(server, patience);
}

/** Ends every connection along with the server. Safe to repeat. */
function closer(server: Http2SecureServer): () => Promise<void> {
  const sockets = new Set<TLSSocket>();
  server.on('secureConnection', (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
    return closing;
  };
}

function cannotListen(error: NodeJS.ErrnoException, port: number): FairleadError {
  const why = error.code === 'EADDRINUSE' ? `port ${port} is in use; choose another` : error.message;
  return new FairleadError('Unavailable', `the embedded cluster cannot listen: ${why}`, error);
}

/** Why a request ends early; made once, because every request ends. */
const gone = new FairleadError('Unavailable', 'the client has gone away');

async function serve(
  ctx: Ctx,
  cluster: Cluster,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const over = new AbortController();
  response.on('close', () => over.abort(gone));
  const body = await bodyOf(request);
  const headers = headersOf(request);
  const allowed = headers[userHeader] !== undefined || isOpen(request.url);
  const answer = allowed
    ? await cluster.handle({
        method: request.method,
        path: request.url,
        headers,
        signal: over.signal,
        ...(body && { body }),
      })
    : refused();
  await send(answer, request, response);
  ctx.log.debug('served', { method: request.method, path: request.url, status: answer.status });
}

/** What may be asked without saying who one is. */
const isOpen = (url: string): boolean => /^\/(?:healthz|livez|readyz|version)(?:[/?]|$)/.test(url);

function refused(): ApiResponse {
  const { status } = unauthorized();
  return { status: 401, headers: { 'content-type': 'application/json' }, body: `${printJson(status)}\n` };
}

const limit = 4 * 1024 * 1024; // the handler refuses above 3 MiB; this only bounds what is held meanwhile

async function bodyOf(request: Http2ServerRequest): Promise<Uint8Array | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  return chunks.length === 0 ? undefined : Buffer.concat(chunks);
}

/** Headers with lower-case names, and with the user that the certificate proves instead of any that was claimed. */
function headersOf(request: Http2ServerRequest): ApiRequest['headers'] {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(':') && !name.startsWith('x-remote-')) {
      headers[name] = Array.isArray(value) ? value.join(', ') : value;
    }
  }
  return Object.assign(headers, provenUser((request.stream?.session?.socket ?? request.socket) as TLSSocket));
}

const proven = new WeakMap<TLSSocket, Record<string, string>>();

/** Who the certificate of a connection belongs to, as headers; nobody when it is not one of ours. */
function provenUser(socket: TLSSocket): Record<string, string> {
  let user = proven.get(socket);
  if (!user) {
    const { CN, O } = (socket.authorized && socket.getPeerCertificate().subject) || {};
    const groups = [O ?? [], 'system:authenticated'].flat().join(',');
    user = CN === undefined ? {} : { [userHeader]: String(CN), [groupHeader]: groups };
    proven.set(socket, user);
  }
  return user;
}

async function send(
  answer: ApiResponse,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const { body } = answer;
  response.writeHead(answer.status, answer.headers);
  if (typeof body === 'string' || body instanceof Uint8Array) {
    if (request.method === 'HEAD') response.end();
    else response.end(body);
    return;
  }
  flush(response);
  for await (const chunk of body) {
    if (response.destroyed || response.closed) return;
    if (!response.write(chunk as string)) await drained(response);
  }
  response.end();
}

/** compat 2.5: clients wait for the headers before they wait for events. HTTP/2 has sent them already. */
function flush(response: object): void {
  if ('flushHeaders' in response && typeof response.flushHeaders === 'function') response.flushHeaders();
}

async function drained(response: Http2ServerResponse): Promise<void> {
  const over = new AbortController();
  await Promise.race([once(response, 'drain', over), once(response, 'close', over)]).finally(() =>
    over.abort(),
  );
}
