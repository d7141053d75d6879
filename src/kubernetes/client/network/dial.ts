import type { LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { FairleadError } from '#base/std';
import { type AddressPolicy, bareHost, connected, dialProxy, parseProxy } from '#platform/http';
import { bounded } from '../bounded.ts';
import { permittedAddresses, refuseForbidden } from './permitted-addresses.ts';

/** One end of a connection to be. */
export type DialTarget = {
  readonly url: URL;
  readonly proxy: URL | undefined;
  readonly serverName: string | undefined;
  readonly insecure: boolean;
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Which addresses of the server and of its proxy are permitted; undefined: any. */
  readonly policy?: AddressPolicy | undefined;
};

const dialMs = 15_000;
const keepAliveMs = 30_000;

/** A connection to the server, through its proxy if it has one, encrypted if its URL is https. */
export async function dial(
  endpoint: DialTarget,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  const what = `connecting to ${endpoint.url.host}`;
  return bounded(signal, { ms: dialMs, what }, async (within) => {
    const plain = await (endpoint.proxy
      ? throughProxy(endpoint.proxy, endpoint, within)
      : direct(endpoint, within));
    return endpoint.url.protocol === 'https:' ? encrypted(plain, endpoint, protocols, within) : plain;
  });
}

/** True when both sides settled on HTTP/2. */
export function speaksHttp2(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).alpnProtocol === 'h2';
}

async function direct({ url, policy }: DialTarget, signal: AbortSignal): Promise<Socket> {
  const target = { host: hostOf(url), port: portOf(url) };
  const lookup = policy && answering(await permittedAddresses(policy, target));
  const socket = connectTcp({ ...target, noDelay: true, ...(lookup && { lookup }) });
  socket.setKeepAlive(true, keepAliveMs);
  return settled(socket, 'connect', signal);
}

/** A lookup that returns these addresses: a name that resolves differently the second time has no effect. */
const answering =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };

async function encrypted(
  socket: Socket,
  endpoint: DialTarget,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  try {
    return await settled(secured(socket, endpoint, protocols), 'secureConnect', signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function secured(socket: Socket, endpoint: DialTarget, protocols: readonly string[]): TLSSocket {
  const { url, serverName, insecure, ca, certificate, key } = endpoint;
  const name = serverName ?? hostOf(url);
  try {
    return connectTls({
      socket,
      ALPNProtocols: [...protocols],
      rejectUnauthorized: !insecure,
      // SNI has no IP addresses, but the certificate is checked against the address all the same
      ...(isIP(name) === 0 && { servername: name }),
      checkServerIdentity: (_host, peer) => checkServerIdentity(name, peer),
      ...(ca && { ca }),
      ...(certificate && key && { cert: certificate, key }),
    });
  } catch {
    // no cause: the library's words may quote what it could not read
    throw new FairleadError(
      'InvalidSpec',
      `a certificate or key for ${url.host} is not valid PEM, or they do not match`,
    );
  }
}

/** Opens a tunnel through the proxy. Whatever goes wrong there, the cluster is unavailable, not its login refused. */
async function throughProxy(
  url: URL,
  { url: server, policy }: DialTarget,
  signal: AbortSignal,
): Promise<Socket> {
  const proxy = parseProxy(url.href);
  if (!proxy) throw new FairleadError('InvalidSpec', 'proxy-url is no URL of a proxy');
  const target = { host: hostOf(server), port: portOf(server) };
  const [checked] = policy ? await permittedAddresses(policy, proxy) : [];
  if (policy) await refuseForbidden(policy, target);
  const route = { proxy, address: checked?.address ?? proxy.host, setting: 'proxy-url' };
  try {
    return guarded(await dialProxy(signal, route, target));
  } catch (error) {
    const { message } = FairleadError.from(error);
    throw new FairleadError('Unavailable', `no tunnel through the proxy ${url.host}: ${message}`, error);
  }
}

async function settled<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return guarded(await connected(signal, socket, event));
}

/** A socket that breaks while unused must not crash the process; its next user sees the broken socket. */
function guarded<S extends Socket>(socket: S): S {
  socket.on('error', () => {});
  return socket;
}

const hostOf = ({ hostname }: URL): string => bareHost(hostname);

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
