import { isIP } from 'node:net';

/** A proxy and its protocol. `href` contains its login and is never shown. */
export type ProxyAddress = {
  readonly kind: 'http' | 'https' | 'socks5';
  readonly host: string;
  readonly port: number;
  readonly login: { readonly username: string; readonly password: string } | undefined;
  readonly href: string;
};

const defaultPorts = { http: 80, https: 443, socks5: 1080 } as const;

/** Reads the URL of a proxy; undefined when it is no URL of a supported kind. */
export function parseProxy(text: string): ProxyAddress | undefined {
  const url = parsed(text);
  const kind = /^(https?|socks5)h?:$/.exec(url?.protocol ?? '')?.[1];
  if (!url?.hostname || (kind !== 'http' && kind !== 'https' && kind !== 'socks5')) {
    return undefined;
  }
  const login =
    url.username || url.password
      ? { username: decoded(url.username), password: decoded(url.password) }
      : undefined;
  const port = Number(url.port) || defaultPorts[kind];
  const user = login ? `${url.username}:${url.password}@` : '';
  // compat sources PRX-1: a socks proxy resolves the host itself, which is socks5h to curl
  const scheme = kind === 'socks5' ? 'socks5h' : kind;
  const host = bareHost(url.hostname);
  return { kind, host, port, login, href: `${scheme}://${user}${bracketed(host)}:${port}` };
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text.includes('://') ? text : `http://${text}`);
  } catch {
    return undefined;
  }
}

/** `[::1]` is `::1`. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '');

/** `::1` becomes `[::1]`; anything else is unchanged. */
export const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** A percent-encoded part of a URL, decoded; the part itself where it is invalid. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
