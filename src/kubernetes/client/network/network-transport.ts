import { type Clock, type Ctx, type Logger, realClock, silent } from '#base/std';
import type { AddressPolicy } from '#platform/http';
import type { WebSocketEnd } from '#platform/web-socket';
import { type ClusterAccess, checkAccess, proxyUrl, serverUrl } from '../access/cluster-access.ts';
import { type ClientIdentity, IdentitySource } from '../access/identity.ts';
import { discard } from '../body.ts';
import type { KubeRequest, KubeResponse, Transport } from '../transport.ts';
import { Connections } from './connections.ts';
import type { WireRequest } from './exchange.ts';

/** A transport with connections of its own, which `close` ends. Idle connections do not keep the process alive. */
export type NetworkTransport = Transport & { close(): void };

export type NetworkOptions = {
  /** The environment of credential plugins. This room reads no environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Which addresses may be connected to; left out: any. */
  readonly policy?: AddressPolicy;
  readonly clock?: Clock;
  readonly log?: Logger;
};

/**
 * A transport to a real API server. Nothing is connected before the first request; throws InvalidSpec for bad
 * access.
 */
export function networkTransport(access: ClusterAccess, options: NetworkOptions = {}): NetworkTransport {
  const { environment = {}, clock = realClock, log = silent } = options;
  const identities = new IdentitySource(checkAccess(access), environment);
  const lines = new Lines(access, options.policy);
  const prefix = serverUrl(access).pathname.replace(/\/+$/, '');
  const gzip = !access.disableCompression;

  async function once(ctx: Ctx, identity: ClientIdentity, request: KubeRequest): Promise<KubeResponse> {
    return lines.with(identity).exchange(ctx, wireRequest(identity, request, { prefix, gzip }));
  }

  async function send(request: KubeRequest): Promise<KubeResponse> {
    const ctx: Ctx = { signal: request.signal, clock, log };
    const identity = await identities.current(ctx);
    const response = await once(ctx, identity, request);
    if (response.status !== 401 || !identities.refused(identity)) return response;
    await discard(response.body);
    return once(ctx, await identities.current(ctx), request);
  }

  async function openStream(request: KubeRequest, protocols: readonly string[]): Promise<WebSocketEnd> {
    const identity = await identities.current({ signal: request.signal, clock, log });
    return lines
      .with(identity)
      .openStream(wireRequest(identity, request, { prefix, gzip: false }), protocols);
  }

  return Object.assign(send, { openStream, close: () => lines.close() });
}

/** Connections are bound to the keys they were made with; new keys make new ones, and the old may finish. */
class Lines {
  readonly #access: ClusterAccess;
  readonly #policy: AddressPolicy | undefined;
  #current: { readonly identity: ClientIdentity; readonly connections: Connections } | undefined;

  constructor(access: ClusterAccess, policy: AddressPolicy | undefined) {
    this.#access = access;
    this.#policy = policy;
  }

  with(identity: ClientIdentity): Connections {
    const { ca, certificate, key } = identity;
    if (this.#current && hasSameKeys(this.#current.identity, identity)) return this.#current.connections;
    this.#current?.connections.retire();
    const { tls, proxyUrl: proxy } = this.#access;
    const connections = new Connections({
      url: serverUrl(this.#access),
      proxy: proxy ? proxyUrl(proxy) : undefined,
      serverName: tls.serverName,
      insecure: tls.insecure ?? false,
      ca,
      certificate,
      key,
      policy: this.#policy,
    });
    this.#current = { identity, connections };
    return connections;
  }

  close(): void {
    this.#current?.connections.destroy();
    this.#current = undefined;
  }
}

function hasSameKeys(a: ClientIdentity, b: ClientIdentity): boolean {
  return a === b || (a.ca === b.ca && a.certificate === b.certificate && a.key === b.key);
}

type Habits = { readonly prefix: string; readonly gzip: boolean };

function wireRequest(
  { headers }: ClientIdentity,
  request: KubeRequest,
  { prefix, gzip }: Habits,
): WireRequest {
  return {
    method: request.method,
    path: prefix + request.path,
    headers: {
      ...(gzip && { 'accept-encoding': 'gzip' }),
      // a client that impersonates on its own overrules the configured impersonation
      ...headers,
      ...request.headers,
      ...(request.body && { 'content-length': String(request.body.byteLength) }),
    },
    body: request.body,
    signal: request.signal,
  };
}
