import { type Agent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { type Ctx, FairleadError, within } from '#base/std';
import { checkedAddresses, refuseForbidden } from '../egress.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type Around, dialThrough } from './dial.ts';
import { machineTrust } from './machine.ts';
import { type ProxyChoice, type ProxySettings, type ProxyTarget, proxyFor, targetOf } from './proxy.ts';
import { authoritiesOf, type ClientCertificate, type Trust } from './trust.ts';

/** The settings of every outgoing connection of this process. */
export type Outside = Around & { readonly proxy: ProxySettings };

/** The settings that a repository adds. */
export type Terms = ProxyChoice & {
  readonly insecure?: boolean | undefined;
  readonly certificate?: ClientCertificate | undefined;
  /** Certificates (PEM) that are trusted beside those of the host or the machine. */
  readonly authorities?: string | undefined;
};

export type WebRequest = {
  readonly url: URL;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly terms?: Terms;
  /** The pool that its connection comes from and returns to; left out: it has its own connection. */
  readonly keep?: ConnectionPool;
  /** Size limit of the response in bytes, and the timeout of all of it. */
  readonly most: number;
  readonly ms: number;
};

export type WebAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
};

/** A response whose body is read as it arrives. A caller that does not read it to its end must close it. */
export type WebStream = Omit<WebAnswer, 'body'> & {
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
};

/**
 * Sends one request and reads the whole response. Connects to the checked address, returns redirects to the caller
 * unfollowed, and throws LimitExceeded for a response beyond its limit, Unavailable without a response.
 */
export async function fetchWeb(ctx: Ctx, outside: Outside, request: WebRequest): Promise<WebAnswer> {
  const { status, headers, body } = await openWeb(ctx, outside, request);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, headers, body: Buffer.concat(chunks) };
}

/** The same for a response too large for memory: its limits apply while it is read. */
export async function openWeb(ctx: Ctx, outside: Outside, request: WebRequest): Promise<WebStream> {
  const bounded = within(ctx, request.ms);
  const { url, method = 'GET', headers = {}, body } = request;
  const options = {
    method,
    headers,
    signal: bounded.signal,
    ...(await connectionTo(bounded, outside, request)),
  };
  try {
    const response = await sent(url, options, body);
    const failed = (error: unknown): unknown => failure(ctx, bounded, url, error);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: counted(response, request, failed),
      close: () => response.destroy(),
    };
  } catch (error) {
    throw failure(ctx, bounded, url, error);
  }
}

/** The other side may have closed a kept connection when we reuse it: the request is then sent on a new one. */
function sent(url: URL, options: RequestOptions, body: string | undefined): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = send(url, options, (response) => {
      isAnswered = true;
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isGone = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      if (isGone && request.reusedSocket && !isAnswered)
        resolve(sent(url, { ...options, agent: false }, body));
      else reject(error);
    });
    request.end(body);
  });
}

function failure(ctx: Ctx, bounded: Ctx, { origin }: URL, error: unknown): unknown {
  if (ctx.signal.aborted) return ctx.signal.reason;
  if (error instanceof FairleadError) return error;
  return new FairleadError('Unavailable', `${origin} is unreachable: ${reasonOf(error, bounded)}`, error);
}

const unbelieved = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_)/;

function reasonOf(error: unknown, { signal }: Ctx): string {
  if (signal.aborted) return 'it took too long';
  const { code, message } = error as NodeJS.ErrnoException;
  if (unbelieved.test(code ?? '')) {
    return `its certificate is not believed (${code}); add its authority to ConfigMap argocd-tls-certs-cm`;
  }
  return code ?? message;
}

type Connection = {
  readonly lookup?: LookupFunction;
  readonly createConnection?: () => Socket;
  readonly agent?: Agent | false;
  readonly owner?: string;
  readonly rejectUnauthorized?: boolean;
  readonly secureContext?: SecureContext;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

async function connectionTo(
  ctx: Ctx,
  outside: Outside,
  { url, headers, terms = {}, keep }: WebRequest,
): Promise<Connection> {
  const target = targetOf(url);
  const proxy = proxyFor(target, terms, outside.proxy);
  const { version = '', ...security } = await securityOf(outside.trust, target, terms);
  if (!proxy) {
    const addresses = await checkedAddresses(ctx, target, outside.egress);
    const kept = keep?.sourceFor(url, addresses, [loginIn(headers), version]) ?? { agent: false };
    return { ...security, ...kept, lookup: pinned(addresses) };
  }
  await refuseForbidden(ctx, target, outside.egress);
  const socket = await dialThrough(ctx, proxy, target, outside);
  if (url.protocol === 'http:') return { createConnection: () => socket };
  const servername = isIP(target.host) ? '' : target.host;
  return { createConnection: () => connectTls({ socket, host: target.host, servername, ...security }) };
}

/** The header that a server knows the caller by: GitLab has one of its own. */
const loginIn = (headers: WebRequest['headers'] = {}): string =>
  headers.authorization ?? headers['private-token'] ?? '';

export type Security = Pick<Connection, 'rejectUnauthorized' | 'secureContext' | 'ca' | 'cert' | 'key'> & {
  readonly version?: string;
};

/** compat sources TLS-1: the authorities of the host, or else the machine's. */
export async function securityOf(
  trust: Trust,
  { scheme, host }: ProxyTarget,
  terms: Terms,
): Promise<Security> {
  const security = { rejectUnauthorized: !terms.insecure, ...terms.certificate };
  if (terms.insecure || scheme !== 'https') return security;
  const ca = authoritiesOf(trust, host);
  const { authorities = '' } = terms;
  if (ca !== undefined) return { ...security, ca: `${ca}${authorities}` };
  const { context, version } = await machineTrust(trust.machine, terms.certificate, authorities);
  return { ...security, secureContext: context, version };
}

function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}

async function* counted(
  response: IncomingMessage,
  { url, most }: WebRequest,
  failed: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) {
        throw new FairleadError('LimitExceeded', `the answer of ${url.origin} has more than ${most} bytes`);
      }
      yield chunk;
    }
  } catch (error) {
    throw failed(error);
  } finally {
    response.destroy();
  }
}
