import type { IncomingMessage } from 'node:http';
import { FairleadError } from '#base/std';
import type { Client } from '../rest/client.ts';

const name = 'argocd.token';
/** Beside the token of an identity provider: what only we can read of that login. */
const companionName = 'fairlead.sso';
/** compat server §4.2: browsers keep no longer cookies, name and attributes included. */
const maxBytes = 4093;
const maxCookies = 20;

/** What the browser's side of a connection decides of a cookie. */
export type CookieScope = Pick<Client, 'isSecure' | 'cookiePath'>;

/** compat server §4.2: not for scripts, not for other sites, and only over TLS where the browser's side is encrypted. */
export const cookieAttributes = ({ isSecure, cookiePath = '/' }: CookieScope): string =>
  `Path=${cookiePath}; SameSite=lax; HttpOnly${isSecure ? '; Secure' : ''}`;

/** compat server §4.2: the cookies that hold a token. Throws LimitExceeded when it is too large for them. */
export const tokenCookies = (token: string, client: CookieScope): string[] => partsOf(name, token, client);

function partsOf(first: string, value: string, client: CookieScope): string[] {
  const after = cookieAttributes(client);
  // the longest name and the number of parts are counted for each
  const room = maxBytes - `${first}-${maxCookies}=${maxCookies}:; ${after}`.length;
  const parts = value.match(new RegExp(`.{1,${room}}`, 'gs')) ?? [''];
  if (parts.length > maxCookies)
    throw new FairleadError(
      'LimitExceeded',
      `the session has ${value.length} bytes, which do not fit into ${maxCookies} cookies: request fewer groups from the identity provider`,
    );
  return parts.map((part, i) => {
    if (i > 0) return `${first}-${i}=${part}; ${after}`;
    return `${first}=${parts.length > 1 ? `${parts.length}:` : ''}${part}; ${after}`;
  });
}

/** Deletes every cookie of a session that a request has. */
export function expiredCookies(header: string | undefined, client: CookieScope): string[] {
  const names = Object.keys(cookiesIn(header)).filter(isPartName);
  const all = cookiesIn(header)[companionName] === undefined ? [name] : [name, companionName];
  return [...new Set([...all, ...names])].map((one) => `${one}=; ${cookieAttributes(client)}; Max-Age=0`);
}

/** The cookies beside the token. Throws LimitExceeded when it is too large for them. */
export const companionCookies = (companion: string | undefined, client: CookieScope): string[] =>
  companion
    ? partsOf(companionName, companion, client)
    : [`${companionName}=; ${cookieAttributes(client)}; Max-Age=0`];

export const companionIn = (header: string | undefined): string | undefined =>
  joinedIn(header, companionName);

const isPartName = (one: string): boolean => /^(argocd\.token|fairlead\.sso)-\d{1,2}$/.test(one);

/** The token in the cookies of a request; undefined when there is none, or a part of it is missing. */
export const cookieToken = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined =>
  joinedIn(headers.cookie, name);

function joinedIn(header: string | undefined, name: string): string | undefined {
  const cookies = cookiesIn(header);
  const first = cookies[name];
  const [, count, head] = /^(\d{1,2}):(.*)$/s.exec(first ?? '') ?? [];
  if (count === undefined) return first || undefined;
  const parts = Array.from({ length: Math.max(0, Number(count) - 1) }, (_, i) => cookies[`${name}-${i + 1}`]);
  if (Number(count) > maxCookies || parts.includes(undefined)) return undefined;
  return [head, ...parts].join('');
}

/** The first of a name counts, as in the peer. */
export function cookiesIn(header = ''): Readonly<Record<string, string>> {
  const found: Record<string, string> = Object.create(null);
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    const key = pair.slice(0, at).trim();
    found[key] ??= pair.slice(at + 1).trim();
  }
  return found;
}
