import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Ctx, FairleadError } from '#base/std';
import { clientOf } from '../../rest/client.ts';
import { pathOf, tokenIn } from '../../rest/request.ts';
import {
  type CookieScope,
  companionCookies,
  companionIn,
  cookieAttributes,
  cookiesIn,
  expiredCookies,
  tokenCookies,
} from '../cookies.ts';
import type { Sessions } from '../sessions.ts';
import { baseFor, returnUrlOf } from './return-url.ts';
import type { Sso } from './sso.ts';

export type SsoDeps = {
  readonly sso: Sso;
  readonly sessions: Pick<Sessions, 'verify' | 'revoke'>;
  /** The settings of this moment. */
  reached(): {
    /** `url` and `additionalUrls`. */
    readonly urls: readonly string[];
    readonly trustedProxies: readonly string[];
    readonly cookiePath: string;
    readonly basePath: string;
    /** `dex.config` is set, which has no effect. */
    readonly hasDex: boolean;
  };
  readonly onLogin?: ((status: 'success' | 'failure') => void) | undefined;
};

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

const stateName = 'argocd.oauthstate';
const stateCookie = (value: string, scope: CookieScope, maxAge: number): string =>
  `${stateName}=${value}; ${cookieAttributes(scope)}; Max-Age=${maxAge}`;

/** The page shows a sentence for each; texts of others are not shown, so that no link can put words into our mouth. */
type Problem =
  | 'not-configured'
  | 'dex'
  | 'no-url'
  | 'unavailable'
  | 'not-begun'
  | 'denied'
  | 'refused'
  | 'busy';

/** compat server §4.4: `/auth/login`, `/auth/callback` and `/auth/logout`. Never throws. */
export async function serveSso(ctx: Ctx, deps: SsoDeps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const path = pathOf(request.url ?? '/');
  const isLogout = path === '/auth/logout';
  response.setHeader('cache-control', 'no-store');
  response.setHeader('x-content-type-options', 'nosniff');
  if (request.method !== 'GET' && !(isLogout && request.method === 'POST'))
    return plain(response, 405, 'Method Not Allowed');
  try {
    if (path === '/auth/login') await login(ctx, deps, exchange);
    else if (path === '/auth/callback') await callback(ctx, deps, exchange);
    else if (isLogout) await logout(ctx, deps, exchange);
    else plain(response, 404, 'Not Found');
  } catch (error) {
    if (ctx.signal.aborted) return;
    ctx.log.warn('login with the identity provider failed', { path, error });
    fail(deps, exchange, problemOf(error));
  }
}

async function login(ctx: Ctx, deps: SsoDeps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { urls, hasDex } = deps.reached();
  if (!deps.sso.isOn) return fail(deps, exchange, hasDex ? 'dex' : 'not-configured');
  const base = baseFor(urls, request.headers.host);
  if (base === undefined) return fail(deps, exchange, 'no-url');
  const returnUrl = returnUrlOf(queryOf(request).get('return_url') ?? '', base, urls);
  if (returnUrl === undefined)
    return plain(response, 400, 'Invalid redirect URL: return_url is not an address of ours');
  const { url, cookie, maxAgeMs } = await deps.sso.begin(ctx, {
    redirectUri: `${base}/auth/callback`,
    returnUrl,
  });
  response.setHeader('set-cookie', stateCookie(cookie, scopeOf(deps, request), maxAgeMs / 1000));
  redirect(response, url);
}

async function callback(ctx: Ctx, deps: SsoDeps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const scope = scopeOf(deps, request);
  const query = queryOf(request);
  try {
    const cookie = cookiesIn(request.headers.cookie)[stateName];
    const { session, returnUrl } = await deps.sso.complete(ctx, { cookie, query });
    const cookies = [...tokenCookies(session.token, scope), ...companionCookies(session.companion, scope)];
    response.setHeader('set-cookie', [...cookies, stateCookie('', scope, 0)]);
    ctx.log.info('user logged in', { user: session.user.username, issuer: session.user.issuer });
    deps.onLogin?.('success');
    redirect(response, returnUrl);
  } catch (error) {
    deps.onLogin?.('failure');
    response.setHeader('set-cookie', stateCookie('', scope, 0));
    throw error;
  }
}

/** compat server §4.6: the token ends here, on every replica, then at the provider where the settings say how. */
async function logout(ctx: Ctx, deps: SsoDeps, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const { urls, basePath } = deps.reached();
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site')
    return plain(response, 403, 'refused: a page of another site made the browser send this');
  const token = tokenIn(request);
  const user = token && (await deps.sessions.verify(ctx, token).catch(() => undefined));
  if (user) await deps.sessions.revoke(ctx, user);
  await deps.sso.end(ctx, companionIn(request.headers.cookie));
  response.setHeader('set-cookie', expiredCookies(request.headers.cookie, scopeOf(deps, request)));
  const base = baseFor(urls, request.headers.host);
  const after = base === undefined ? basePath : `${base}/`;
  const logoutUrl = user && user.kind === 'sso' ? deps.sso.provider.settings?.logoutUrl : undefined;
  redirect(response, logoutUrl && token ? filled(logoutUrl, token, after) : after);
}

const filled = (template: string, token: string, after: string): string =>
  template
    .replace(/\{\{\s*token\s*\}\}/g, () => encodeURIComponent(token))
    .replace(/\{\{\s*logoutRedirectURL\s*\}\}/g, () => encodeURIComponent(after));

function problemOf(error: unknown): Problem {
  const { code, cause } = FairleadError.from(error);
  if (code === 'Unavailable' || code === 'PermissionDenied' || code === 'InvalidSpec') return 'unavailable';
  if (code === 'LimitExceeded') return 'busy';
  if (cause === undefined && code === 'Auth') return 'not-begun';
  return (cause as { error?: string } | undefined)?.error === 'access_denied' ? 'denied' : 'refused';
}

/** To the page, which says what happened in words. */
function fail(deps: SsoDeps, { response }: Exchange, problem: Problem): void {
  redirect(response, `${deps.reached().basePath}login?has_sso_error=true&sso_error=${problem}`);
}

function scopeOf({ reached }: SsoDeps, request: IncomingMessage): CookieScope {
  const { trustedProxies, cookiePath } = reached();
  return { ...clientOf(request, trustedProxies), cookiePath };
}

const queryOf = ({ url = '/' }: IncomingMessage): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
