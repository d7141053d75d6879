import { BlockList, isIP } from 'node:net';
import { FairleadError } from '#base/std';
import { bareHost, type ProxyAddress, parseProxy } from '#platform/http';

/** The proxies of the whole installation, by scheme. A repository's own proxy has priority. */
export type ProxySettings = {
  readonly http?: string;
  readonly https?: string;
  /** For what is neither: mail. */
  readonly all?: string;
  readonly noProxy?: string;
};

/** The proxy settings of a repository. */
export type ProxyChoice = { readonly proxy?: string | undefined; readonly noProxy?: string | undefined };

/** The target of a connection. `host` is without brackets. */
export type ProxyTarget = {
  readonly scheme: 'http' | 'https' | 'ssh' | 'smtp';
  readonly host: string;
  readonly port: number;
};

/**
 * The proxy to use; undefined: a direct connection. Where the repository names one, only its own exceptions apply
 * (sources PRX-1). Throws InvalidSpec for a proxy that is no supported URL.
 */
export function proxyFor(
  target: ProxyTarget,
  choice: ProxyChoice,
  settings: ProxySettings,
): ProxyAddress | undefined {
  const text = choice.proxy || serverProxy(target, settings);
  if (!text) return undefined;
  const exceptions = choice.proxy ? choice.noProxy : settings.noProxy;
  return isExempt(target, exceptions ?? '') ? undefined : repositoryProxy(text);
}

/** The target of an HTTP URL. */
export function targetOf({ protocol, hostname, port }: URL): ProxyTarget {
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return { scheme, host: bareHost(hostname), port: Number(port) || (scheme === 'http' ? 80 : 443) };
}

/** The proxies of an installation apply to HTTP, and one of its own to mail, as elsewhere. */
function serverProxy({ scheme }: ProxyTarget, { http, https, all }: ProxySettings): string | undefined {
  if (scheme === 'ssh') return undefined;
  if (scheme === 'smtp') return all;
  return scheme === 'http' ? http : https;
}

function repositoryProxy(text: string): ProxyAddress {
  const proxy = parseProxy(text);
  if (proxy) return proxy;
  throw new FairleadError(
    'InvalidSpec',
    'the proxy of a repository cannot be read: write it as http://host:port, https://host:port or socks5://host:port',
  );
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/**
 * compat sources PRX-1: Go's grammar of exceptions. `*` is everything, `.x.y` the domains below x.y, `x.y` also x.y
 * itself, an address or a range of addresses itself; each may end in a port. This machine is always an exception.
 */
export function isExempt(target: ProxyTarget, noProxy: string): boolean {
  const host = target.host.toLowerCase();
  if (host === 'localhost' || inRange(loopback, host)) return true;
  return noProxy.split(',').some((entry) => matchesEntry(entry.trim().toLowerCase(), host, target.port));
}

function matchesEntry(entry: string, host: string, port: number): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  const range = rangeOf(entry);
  if (range) return inRange(range, host);
  const { name, port: onlyPort } = splitPort(entry);
  if (name === '' || (onlyPort !== '' && onlyPort !== String(port))) return false;
  if (isIP(name)) return sameAddress(name, host);
  if (isIP(host)) return false;
  const domain = name.replace(/^\*(?=\.)/, '');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

/** `host:port`, `[v6]:port`, or a host alone. */
function splitPort(entry: string): { name: string; port: string } {
  const [, v6, host, port = ''] = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(entry) ?? [];
  const name = v6 ?? host;
  return name === undefined ? { name: entry, port: '' } : { name, port };
}

function rangeOf(entry: string): BlockList | undefined {
  const [, address = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) return undefined;
  const range = new BlockList();
  range.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return range;
}

function sameAddress(a: string, b: string): boolean {
  const one = new BlockList();
  one.addAddress(a, isIP(a) === 4 ? 'ipv4' : 'ipv6');
  return inRange(one, b);
}

function inRange(range: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && range.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
