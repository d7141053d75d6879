import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';

/** The origin of a request, as far as it can be trusted. */
export type Client = {
  /** The address of an IPv4 client, the network of an IPv6 one: its owner chooses among 2^64 addresses. */
  readonly address: string;
  /** Whether the browser's side of the connection is encrypted. */
  readonly isSecure: boolean;
  /** The path that cookies are for; left out: `/`. */
  readonly cookiePath?: string;
};

/**
 * `trustedProxies` are addresses and networks in CIDR form: X-Forwarded-For and X-Forwarded-Proto are trusted only from
 * those, because any client can send them.
 */
export function clientOf(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly string[],
): Client {
  const peer = plain(request.socket.remoteAddress ?? '');
  const isTrusted = trustOf(trustedProxies);
  const isTls = 'encrypted' in request.socket && request.socket.encrypted === true;
  if (!isTrusted(peer)) return { address: networkOf(peer), isSecure: isTls };
  const hops = words(request.headers['x-forwarded-for']).map(plain);
  // each proxy appends the address of its client; the last that is not a trusted proxy is the client
  const client = hops.findLast((address) => !isTrusted(address)) ?? hops[0] ?? peer;
  const [proto] = words(request.headers['x-forwarded-proto']);
  return { address: networkOf(client), isSecure: isTls || proto?.toLowerCase() === 'https' };
}

const words = (header: string | string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** An IPv4-mapped IPv6 address is the IPv4 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');

const lists = new WeakMap<readonly string[], (address: string) => boolean>();

function trustOf(proxies: readonly string[]): (address: string) => boolean {
  const known = lists.get(proxies);
  if (known) return known;
  const list = new BlockList();
  for (const proxy of proxies) addTo(list, proxy);
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  lists.set(proxies, isTrusted);
  return isTrusted;
}

/** An invalid address trusts nothing. */
function addTo(list: BlockList, proxy: string): void {
  const [address = '', bits] = proxy.split('/', 2);
  const kind = isIP(address);
  if (kind === 0) return;
  const most = kind === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  if (Number.isInteger(prefix) && prefix >= 0 && prefix <= most)
    list.addSubnet(address, prefix, kind === 4 ? 'ipv4' : 'ipv6');
}

function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::', 2);
  const groups = head.split(':').filter(Boolean);
  const rest = (tail ?? '').split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - rest.length;
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...rest];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
