import type { IncomingMessage } from 'node:http';
import { type Ctx, FairleadError, joined } from '#base/std';
import { matchPath, type PathParams } from '#serve/api';
import { companionCookies, companionIn, tokenCookies } from '../auth/cookies.ts';
import type { RenewedSession, SessionUser } from '../auth/tokens.ts';
import { refusalOf, streamRefusalOf } from '../errors.ts';
import type { LivePolicy } from '../rbac/live-policy.ts';
import { type AuditSink, RequestAudit } from './audit.ts';
import { type RestExchange, sendText } from './body.ts';
import { type Client, clientOf } from './client.ts';
import { type FieldSelection, selectionIn } from './fields.ts';
import { isForeign } from './origin.ts';
import {
  bearerIn,
  isAllowedType,
  maxBodyBytes,
  maxPublicBodyBytes,
  pathOf,
  readBody,
  readMessages,
  tokenIn,
} from './request.ts';
import type { RestResult, RestRoute } from './routes.ts';
import { type PresentedToken, type RouteSessions, runRoute, userOf, whileAllowed } from './run-route.ts';
import { escapedJson, sendItems } from './send-items.ts';
import { sendStream } from './stream.ts';
import { unknownRoute } from './unknown-route.ts';

export type RestOptions = {
  readonly routes: readonly RestRoute[];
  readonly policy: LivePolicy;
  readonly sessions: RouteSessions & {
    /** What replaces a session that is about to expire. */
    renewed(ctx: Ctx, user: SessionUser, companion?: string): Promise<RenewedSession | undefined>;
  };
  readonly audit: AuditSink;
  /** The current settings: addresses whose X-Forwarded headers are trusted, and our public origins. */
  reached(): {
    readonly trustedProxies: readonly string[];
    readonly origins: readonly string[];
    /** The path that cookies are for. */
    readonly cookiePath: string;
  };
};
type Found = { readonly route: RestRoute; readonly params: PathParams };
/** No route has the path, or those that have it take other methods. */
type Missed = { readonly status: 404 | 405; readonly allowed: readonly string[] };

/** Responds to one request under /api. Never throws: an error becomes the response. */
export async function serveRest(ctx: Ctx, options: RestOptions, exchange: RestExchange): Promise<void> {
  const { request, response } = exchange;
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { signal, release } = joined(ctx.signal, gone.signal);
  const inner = { ...ctx, signal };
  const audit = new RequestAudit(options.audit);
  try {
    await answer(inner, options, exchange, audit);
  } catch (error) {
    if (inner.signal.aborted) return;
    const { status, body } = refusalIn(options, request, error);
    if (status >= 500)
      ctx.log.error('request failed', { method: request.method, path: pathOf(request.url ?? '/'), error });
    if (!response.headersSent) await sendJson(exchange, status, body);
    else response.destroy();
  } finally {
    release();
    await audit.completed(ctx, response.statusCode);
  }
}

async function answer(
  ctx: Ctx,
  options: RestOptions,
  exchange: RestExchange,
  audit: RequestAudit,
): Promise<void> {
  const { request, response } = exchange;
  const found = find(options.routes, request);
  if ('allowed' in found) {
    const { status, body } = unknownRoute(request, found.status);
    if (status === 405) response.setHeader('allow', found.allowed.join(', '));
    await sendJson(exchange, status, body);
    return;
  }
  if (!isAllowedType(request)) {
    response.writeHead(415, { 'content-type': 'text/plain' }).end('Invalid content type\n');
    return;
  }
  const { route, params } = found;
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const { trustedProxies, origins, cookiePath } = options.reached();
  requireOwnPage(route, request, { query, origins });
  const user = await userOf(ctx, options.sessions, route, presentedIn(request));
  const most = route.isPublic ? maxPublicBodyBytes : maxBodyBytes;
  const { body, more } = route.endpoint.takesStream
    ? await readMessages(request, most)
    : { body: await readBody(request, most), more: undefined };
  const client = { ...clientOf(request, trustedProxies), cookiePath };
  const { cookie } = request.headers;
  const call = { route, params, query, body, more, user, client, cookie };
  const ran = await runRoute(ctx, options, call, audit);
  const result = selected(route, query, ran.result);
  await renew(ctx, options, { user, client, exchange });
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, value);
  const holder = { user, permissions: ran.permissions, cutOff: () => void response.destroy() };
  if (result.kind === 'stream')
    await whileAllowed(ctx, options.sessions, holder, () => sendStream(ctx, result, exchange));
  else if (result.kind === 'items') await sendItems(exchange, result);
  else await sendJson(exchange, 200, result.value);
}

/** With its cookie a browser may change something, or read a stream, for our own pages only. */
function requireOwnPage(
  { endpoint }: RestRoute,
  request: IncomingMessage,
  { query, origins }: { readonly query: URLSearchParams; readonly origins: readonly string[] },
): void {
  if (bearerIn(request)) return; // no page of another site has the token
  const isGuarded = endpoint.method !== 'GET' || endpoint.answer === 'stream' || query.has('refresh');
  if (isGuarded && isForeign(request, origins))
    throw new FairleadError('PermissionDenied', 'refused: a page of another site made the browser send this');
}

function find(routes: readonly RestRoute[], request: IncomingMessage): Found | Missed {
  const path = pathOf(request.url ?? '/');
  const allowed = new Set<string>();
  for (const route of routes) {
    const params = matchPath(route.endpoint.path, path);
    if (!params) continue;
    if (route.endpoint.method === request.method) return { route, params };
    allowed.add(route.endpoint.method);
  }
  return { status: allowed.size > 0 ? 405 : 404, allowed: [...allowed] };
}

/** compat server §2.4: a stream has an error envelope of its own. */
function refusalIn({ routes }: RestOptions, request: IncomingMessage, error: unknown) {
  const found = find(routes, request);
  const isStream = 'route' in found && found.route.endpoint.answer === 'stream';
  const { status, body } = refusalOf(error);
  return { status, body: isStream ? streamRefusalOf(error) : body };
}

/** compat server §4.2; the cookie beside a token belongs to the token of the cookie. */
function presentedIn(request: IncomingMessage): PresentedToken {
  const companion = bearerIn(request) ? undefined : companionIn(request.headers.cookie);
  return { token: tokenIn(request), companion };
}

type Renewal = {
  readonly user: SessionUser | undefined;
  readonly client: Client;
  readonly exchange: RestExchange;
};

/** compat server §4.2: a browser gets a new cookie before its session expires. */
async function renew(
  ctx: Ctx,
  { sessions }: RestOptions,
  { user, client, exchange }: Renewal,
): Promise<void> {
  const { request, response } = exchange;
  if (!user || bearerIn(request)) return;
  const renewed = await sessions.renewed(ctx, user, companionIn(request.headers.cookie));
  if (!renewed) return;
  const beside = user.kind === 'sso' ? companionCookies(renewed.companion, client) : [];
  response.setHeader('set-cookie', [...tokenCookies(renewed.token, client), ...beside]);
}

const sendJson = (exchange: RestExchange, status: number, value: unknown): Promise<void> =>
  sendText(exchange, status, escapedJson(value));

/** compat server §2.6: the fields that the caller wants, where the endpoint lets it choose. */
function selected({ endpoint }: RestRoute, query: URLSearchParams, result: RestResult): RestResult {
  const fields = endpoint.fields ? selectionIn(query) : undefined;
  if (!fields) return result;
  if (result.kind === 'one') return { ...result, value: fields.pick(result.value) };
  const inner = fields.below(result.kind === 'items' ? 'items' : 'result');
  if (result.kind === 'items') return { ...result, items: mapped(result.items, inner), areLasting: false };
  return { ...result, messages: mappedStream(result.messages, inner) };
}

function* mapped(items: Iterable<unknown>, fields: FieldSelection): Generator<unknown> {
  for (const item of items) yield fields.pick(item);
}

async function* mappedStream(
  messages: AsyncIterable<unknown>,
  fields: FieldSelection,
): AsyncGenerator<unknown> {
  for await (const message of messages) yield fields.pick(message);
}
