import type { IncomingMessage } from 'node:http';

/**
 * Whether a page of another origin may have made the browser send this with the user's cookie. Browsers report that in
 * Sec-Fetch-Site or Origin, which no page can set. One that sends neither can be made to do no more than navigate here,
 * because the cookie is SameSite=lax, and then requests a page. `own` are our public origins, beside the Host of the
 * request.
 */
export function isForeign(
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  own: readonly string[],
): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host, accept = '' } = headers;
  if (origin !== undefined) return !own.includes(origin) && hostOf(origin) !== host?.toLowerCase();
  return (method === 'GET' || method === 'HEAD') && accept.includes('text/html');
}

/**
 * Any name can be made to resolve to this machine (DNS rebinding). A server that listens on loopback only responds to
 * names of this machine and to configured ones; `undefined` (HTTP/1.0) comes from no browser.
 */
export function isServedHost(host: string | undefined, configured: readonly string[]): boolean {
  if (host === undefined) return true;
  const name = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
  return (
    /^(?:localhost|[^.]+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(name) ||
    configured.some((one) => one.toLowerCase() === name || hostOf(one)?.replace(/:\d*$/, '') === name)
  );
}

/** The origin of a URL; undefined when it is invalid. */
export function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);
