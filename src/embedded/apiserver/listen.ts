import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { type Ctx, FairleadError, realClock } from '#base/std';
import type { RequestUser } from './authorize.ts';
import { type Certificates, certificatesIn } from './certificates.ts';
import type { EmbeddedCluster } from './cluster.ts';
import { type Exchange, gone, headersOf, overHttp1, overHttp2, receiveRequest, send } from './exchange.ts';
import { writeKubeconfig } from './kubeconfig.ts';

export type EmbeddedListener = {
  readonly url: string;
  readonly kubeconfigPath: string;
  /** Stops accepting connections, closes open ones. Safe to repeat. */
  close(): Promise<void>;
};

export type EmbeddedListenOptions = {
  /** 0 picks a free one. */
  readonly port: number;
  readonly host?: string;
  /** The directory of certificates (`pki/`) and the kubeconfig. */
  readonly dir: string;
  /** The namespace of the kubeconfig's context `argocd`; left out: there is no such context. */
  readonly namespace?: string | undefined;
};

/** Serves the cluster over HTTPS (HTTP/2 and HTTP/1.1) to clients with the kubeconfig that it writes. */
export async function listen(
  ctx: Ctx,
  cluster: EmbeddedCluster,
  options: EmbeddedListenOptions,
): Promise<EmbeddedListener> {
  const { port, host = '127.0.0.1', dir, namespace } = options;
  const hosts = [...new Set([host, '127.0.0.1', '::1', 'localhost', 'kubernetes', 'kubernetes.default.svc'])];
  // clients check these against real time, whatever the cluster's own clock shows
  const certificates = await certificatesIn(join(dir, 'pki'), hosts, realClock.now());
  const server = secureServer(certificates);
  const close = closer(server);
  onExchange(server, (exchange) => {
    serve(ctx, cluster, exchange).catch((error: unknown) => {
      ctx.log.debug('a connection to the embedded cluster broke', { error });
      exchange.outgoing.destroy();
    });
  });
  // an HTTP/2 server with HTTP/1.1 fallback emits these as an HTTP/1.1 server does
  server.on('upgrade', (request: IncomingMessage, socket: TLSSocket, head: Buffer) => {
    upgraded(cluster, { request, socket, head }).catch((error: unknown) => {
      ctx.log.debug('a stream of the embedded cluster broke', { error });
      socket.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, port);
  });
  reportErrors(ctx, server);
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  const kubeconfigPath = join(dir, 'kubeconfig');
  await writeKubeconfig(kubeconfigPath, { url, certificates, namespace });
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
    rejectUnauthorized: false, // probes may connect without a certificate; all other requests without one get 401
    allowHTTP1: true,
    // Go sends all requests over one connection: a few large concurrent lists must not break it
    maxSessionMemory: 1024,
  });
  // compat cluster 2.6: Go keeps idle connections for 90 s; a server that closes them sooner breaks requests at random
  const timeouts = { keepAliveTimeout: 120_000, headersTimeout: 130_000, requestTimeout: 0, timeout: 0 };
  return Object.assign(server, timeouts);
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

/** Calls `take` for the requests of both HTTP versions. */
function onExchange(server: Http2SecureServer, take: (exchange: Exchange) => void): void {
  server.on('request', (request, response) => {
    take(overHttp1(request as unknown as IncomingMessage, response as unknown as ServerResponse));
  });
  // Node wraps streams as requests for listeners of `request`: streams are handled directly instead
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers) => take(overHttp2(stream, headers)));
}

async function serve(ctx: Ctx, cluster: EmbeddedCluster, exchange: Exchange): Promise<void> {
  const answer = await cluster.handle(await receiveRequest(exchange, peerOf(exchange)));
  await send(exchange, answer);
  ctx.log.debug('served', { method: exchange.method, path: exchange.path, status: answer.status });
}

type Upgraded = { readonly request: IncomingMessage; readonly socket: TLSSocket; readonly head: Buffer };

async function upgraded(cluster: EmbeddedCluster, { request, socket, head }: Upgraded): Promise<void> {
  const over = new AbortController();
  socket.on('close', () => over.abort(gone));
  const wanted = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: headersOf(request.headers),
    signal: over.signal,
    peer: provenUser(socket),
  };
  await cluster.stream({ request: wanted, socket, head });
}

const proven = new WeakMap<object, RequestUser | 'unknown'>();

function peerOf({ connection, socket }: Exchange): RequestUser | 'unknown' {
  let user = proven.get(connection);
  if (!user) {
    user = provenUser(socket());
    proven.set(connection, user);
  }
  return user;
}

/** The user of a connection's client certificate; unknown when the cluster's authority did not issue it. */
const provenUser = (socket: TLSSocket): RequestUser | 'unknown' =>
  socket.authorized ? userOf(socket.getPeerCertificate()) : 'unknown';

/** compat cluster 3.18: the common name is the user, the organizations are the groups. */
function userOf({ subject, fingerprint256 }: PeerCertificate): RequestUser | 'unknown' {
  const { CN, O } = subject ?? {};
  if (CN === undefined) return 'unknown';
  const mark = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`;
  const groups = [O ?? [], 'system:authenticated'].flat();
  return { name: String(CN), groups, extra: { 'authentication.kubernetes.io/credential-id': [mark] } };
}

const quietMs = 60_000;

/**
 * Without file descriptors every connection fails: logged at the first failure, then at most once a minute with
 * the count.
 */
export function reportErrors(
  ctx: Ctx,
  server: { on(event: 'error', heard: (error: Error) => void): unknown },
): void {
  let reported = Number.NEGATIVE_INFINITY;
  let failures = 0;
  server.on('error', (error) => {
    failures += 1;
    const now = ctx.clock.now().getTime();
    if (now - reported < quietMs) return;
    ctx.log.warn('the embedded cluster cannot accept connections', { failures, error });
    [reported, failures] = [now, 0];
  });
}
