import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { SecureVersion } from 'node:tls';
import type { Ctx, Task } from '#base/std';
import { listenHttp, type TlsState } from '#platform/http';
import type { OwnSecret } from '../auth/live-credentials.ts';
import { pathOf } from '../rest/request.ts';
import { cipherChoice } from './cipher-suites.ts';
import type { ListenerOptions } from './listener-options.ts';
import { type ServedPair, ServerCertificate } from './server-certificate.ts';

export type ListenerDeps = {
  readonly kube: ConstructorParameters<typeof ServerCertificate>[0]['kube'];
  readonly namespace: string;
  /** `argocd-secret`. */
  readonly secret: OwnSecret;
  /** How the port is to be served now. */
  options(): ListenerOptions;
  /** Yields, until `ctx` stops, each time the options may have changed. */
  changes(ctx: Ctx): AsyncIterable<unknown>;
};

type Serving = {
  readonly host: string;
  readonly port: number;
  serve(ctx: Ctx, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Requests of HTTP/2, with TLS or, where it is not spoken, without. */
  serveHttp2(ctx: Ctx, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void>;
  /** Connections that become WebSockets. */
  readonly upgrades: NonNullable<Parameters<typeof listenHttp>[1]['upgrades']>;
  /** Answers the paths that have no secret in plain HTTP too; true when it did. */
  serveHealth(request: IncomingMessage, response: ServerResponse): boolean;
};

/**
 * Listens now. TLS or plain HTTP, the certificate, the versions and the suites are those of each moment: a change counts for
 * the next connection. Throws where TLS is demanded and no certificate can be had.
 */
export async function listenWithTls(
  ctx: Ctx,
  deps: ListenerDeps,
  { host, port, serve, serveHttp2, upgrades, serveHealth }: Serving,
): Promise<{ readonly url: string; readonly run: Task }> {
  const certificate = new ServerCertificate(deps);
  const state = tlsStates(ctx);
  if (deps.options().isTls) await certificate.want(ctx);
  const current = (): TlsState | undefined => {
    const options = deps.options();
    return options.isTls && certificate.current ? state(certificate.current, options.tls) : undefined;
  };
  const servePlain = (request: IncomingMessage, response: ServerResponse): void => {
    if (!serveHealth(request, response)) redirect(request, response);
  };
  const listening = await listenHttp(ctx, {
    ...{
      host,
      port,
      serve,
      serveHttp2,
      upgrades,
      requestMs: 60_000,
      flags: { host: '--host', port: '--port' },
    },
    tls: { current, servePlain },
  });
  const follow: Task = async (inner) => {
    const changes = deps.changes(inner);
    for await (const _change of changes) if (deps.options().isTls) await certificate.want(inner);
  };
  const { isTls, basePath } = deps.options();
  const run: Task = async (inner) => {
    await Promise.all([listening.run(inner), certificate.run(inner), follow(inner)]);
  };
  return {
    url: `${isTls ? 'https' : 'http'}://localhost:${listening.port}${basePath.replace(/\/$/, '')}`,
    run,
  };
}

/** compat server §2.1: 307 to the same host and path over TLS. */
function redirect({ headers, url = '/' }: IncomingMessage, response: ServerResponse): void {
  const host = headers.host ?? '';
  const text = { 'content-type': 'text/plain', connection: 'close' };
  if (!/^[\w.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(host))
    response.writeHead(400, text).end('this port speaks TLS: use https\n');
  else response.writeHead(307, { ...text, location: `https://${host}${targetOf(url)}` }).end();
}

/** The path and the query, with nothing that could end the header or name another host. */
function targetOf(url: string): string {
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  return `${pathOf(url)}${query}`.replace(/[^\x21-\x7e]/g, '');
}

/** The state of TLS for a certificate and options: the same object while both are the same. */
function tlsStates(ctx: Ctx): (pair: ServedPair, tls: ListenerOptions['tls']) => TlsState {
  let made: { readonly pair: ServedPair; readonly tls: string; readonly state: TlsState } | undefined;
  return (pair, tls) => {
    const text = JSON.stringify(tls);
    if (made?.pair === pair && made.tls === text) return made.state;
    const { ciphers, unknown } = cipherChoice(tls.cipherSuites);
    if (unknown.length > 0 && made?.tls !== text)
      ctx.log.warn('server.tls.ciphers names unknown suites: they are left out', { suites: unknown });
    const [minVersion, maxVersion] = versionsOf(ctx, tls);
    const state = { cert: pair.cert, key: pair.key, ciphers, minVersion, maxVersion };
    made = { pair, tls: text, state };
    return state;
  };
}

function versionsOf(
  ctx: Ctx,
  { minVersion, maxVersion }: ListenerOptions['tls'],
): [SecureVersion, SecureVersion] {
  if (minVersion <= maxVersion)
    return [`TLSv${minVersion}`, `TLSv${maxVersion}`].map(named) as [SecureVersion, SecureVersion];
  ctx.log.warn('server.tls.minversion is above server.tls.maxversion: TLS 1.2 and 1.3 are spoken');
  return ['TLSv1.2', 'TLSv1.3'];
}

const named = (version: string): string => (version === 'TLSv1.0' ? 'TLSv1' : version);
