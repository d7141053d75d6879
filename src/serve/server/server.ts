import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ctx, FairleadError, Task } from '#base/std';
import { isLoopback, type UpgradedConnection } from '#platform/http';
import { refuseUpgrade } from '#platform/web-socket';
import type { KindSchemas } from '#serve/api';
import type { Auth } from './auth/open-auth.ts';
import { type SsoDeps, serveSso } from './auth/sso/serve-sso.ts';
import type { GrpcForm } from './grpc/grpc-answer.ts';
import { grpcRoutes } from './grpc/grpc-routes.ts';
import { type GrpcExchange, grpcFormOf, serveGrpc } from './grpc/serve-grpc.ts';
import { serveHttp2With } from './grpc/serve-http2.ts';
import { type ListenerDeps, listenWithTls } from './listener/listen.ts';
import { accountRoutes } from './methods/accounts/routes.ts';
import { applicationSetRoutes } from './methods/application-sets/routes.ts';
import { applicationRoutes } from './methods/applications/routes.ts';
import type { MethodDeps } from './methods/deps.ts';
import { type ServiceDeps, serviceRoutes } from './methods/services.ts';
import { sessionRoutes } from './methods/session/routes.ts';
import { shownSettings as shownIn } from './methods/settings/settings-view.ts';
import { servePublic } from './public-paths.ts';
import type { AuditSink } from './rest/audit.ts';
import { clientOf } from './rest/client.ts';
import { isServedHost, originOf } from './rest/origin.ts';
import { type MethodCall, pathOf } from './rest/request.ts';
import type { RestRoute } from './rest/routes.ts';
import { serveRest } from './rest/serve.ts';
import { serveStatic } from './static.ts';
import { serveTerminal, terminalPath } from './terminal/serve-terminal.ts';
import { type WebhookDeps, WebhookReceiver } from './webhook/receive.ts';

export type ServerDeps = MethodDeps &
  ServiceDeps & {
    readonly auth: Omit<Auth, 'run'>;
    /** TLS, and the path that everything is served at. */
    readonly listener: ListenerDeps;
    /** Webhooks of Git hosts, and how they are verified. */
    readonly webhook: WebhookDeps;
    /** Gets a record of every request that changes something. */
    readonly audit: AuditSink;
    /** Called with the outcome of a login. Must not throw. */
    readonly onLogin?: (status: 'success' | 'failure') => void;
    /** The response of `/metrics`; left out: there is none. */
    readonly metrics?: { readonly contentType: string; text(): Promise<string> } | undefined;
    /** Why nothing can be written now, for `/healthz` and `/readyz`; undefined when healthy. */
    readonly failure?: () => FairleadError | undefined;
  };
export type ServerConfig = {
  readonly host: string;
  readonly port: number;
  /** The folder with the built web UI. */
  readonly uiDir: string;
  readonly version: string;
  /** Reads the schemas of our kinds, for the document of the API. */
  kinds(): KindSchemas;
};

/** Listens now, so that the port is known; serves until the task's ctx stops, or before the task has begun the one given here. */
export async function listenServer(
  ctx: Ctx,
  deps: ServerDeps,
  config: ServerConfig,
): Promise<{ url: string; run: Task }> {
  const { host, port } = config;
  const serveHealth = healthOf(deps);
  const { serve, serveCall, serveShell } = dispatch(deps, config);
  const serveHttp = serveWith(deps, config, serve);
  const isLocal = isLoopback(host);
  const upgrades = {
    isOpen: () => deps.context.settings().server.execEnabled,
    serve: async (inner: Ctx, connection: UpgradedConnection): Promise<void> => {
      const { request } = connection;
      const path = belowRoot(request, deps.listener.options().rootPath);
      if (path !== terminalPath)
        refuseUpgrade(connection.socket, 404, '{"error":"no WebSocket is served here"}');
      else if (isLocal && !isOwnHost(deps, request.headers.host))
        refuseUpgrade(connection.socket, 421, unknownHost);
      else await serveShell(inner, connection);
    },
  };
  const serveHttp2 = serveHttp2With({
    rootPath: () => deps.listener.options().rootPath,
    isOwnHost: (name) => !isLocal || isOwnHost(deps, name),
    serveCall,
  });
  return listenWithTls(ctx, deps.listener, {
    host,
    port,
    serveHealth,
    serve: serveHttp,
    serveHttp2,
    upgrades,
  });
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

function serveWith(deps: ServerDeps, config: ServerConfig, serve: Dispatch['serve']) {
  const serveHealth = healthOf(deps);
  const isLocal = isLoopback(config.host);
  const open = { ...deps, kinds: () => config.kinds() };
  return async (ctx: Ctx, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (serveHealth(request, response)) return;
    requireTlsFromNowOn(deps, request, response);
    const { rootPath } = deps.listener.options();
    const path = belowRoot(request, rootPath);
    if (path === undefined) sendToRoot(request, response, rootPath);
    else if (isLocal && path !== '/api/webhook' && !isOwnHost(deps, request.headers.host))
      refuseHost(response);
    else if (!servePublic(open, path, { request, response })) await serve(ctx, path, { request, response });
  };
}

/**
 * compat server §2.1: the path below the root path, which the request then has, with its query and no scheme or host: those may
 * be invalid. Undefined when it is elsewhere.
 */
function belowRoot(request: IncomingMessage, rootPath: string): string | undefined {
  const { url = '/' } = request;
  const path = pathOf(url);
  if (rootPath !== '' && !path.startsWith(`${rootPath}/`)) return undefined;
  const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  request.url = path.slice(rootPath.length) + query;
  return pathOf(request.url);
}

function sendToRoot({ url = '/' }: IncomingMessage, response: ServerResponse, rootPath: string): void {
  const isOnTheWay = ['/', rootPath].includes(pathOf(url));
  const headers = { 'content-type': 'text/plain', ...(isOnTheWay && { location: `${rootPath}/` }) };
  response.writeHead(isOnTheWay ? 307 : 404, headers).end(isOnTheWay ? '' : 'Not Found\n');
}

const yearSeconds = 365 * 24 * 3600;

/** A browser that came by TLS comes by TLS again. It ignores that where it does not trust the certificate. */
function requireTlsFromNowOn(
  { context }: ServerDeps,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { isSecure } = clientOf(request, context.settings().server.trustedProxies);
  // other programs of this machine share the name, and may speak plain HTTP
  const isShared = isServedHost(request.headers.host, []);
  if (isSecure && !isShared) response.setHeader('strict-transport-security', `max-age=${yearSeconds}`);
}

const healthPaths = new Set(['/healthz', '/readyz']);

/** The reason is only in the log: health needs no authentication. */
const healthOf =
  (deps: ServerDeps) =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!healthPaths.has(pathOf(request.url ?? '/'))) return false;
    const failure = deps.failure?.();
    const text = failure ? 'the embedded cluster cannot write: see the log of fairlead' : 'ok';
    response.writeHead(failure ? 503 : 200, { 'content-type': 'text/plain' }).end(`${text}\n`);
    return true;
  };

type Dispatch = {
  serve(ctx: Ctx, path: string, exchange: Exchange): Promise<void>;
  serveCall(ctx: Ctx, form: GrpcForm, exchange: GrpcExchange): Promise<void>;
  serveShell(ctx: Ctx, connection: UpgradedConnection): Promise<void>;
};

function dispatch(deps: ServerDeps, config: ServerConfig): Dispatch {
  const routes = routesOf(deps, config);
  const webhooks = new WebhookReceiver(deps.webhook);
  const { sessions, policy } = deps.auth;
  const sso = ssoDepsOf(deps);
  const reached = () => {
    const { url, additionalUrls, server } = deps.context.settings();
    const origins = [url, ...additionalUrls].flatMap((one) => originOf(one) ?? []);
    const { cookiePath } = deps.listener.options();
    return { trustedProxies: server.trustedProxies, origins, cookiePath };
  };
  const rest = { routes, sessions, policy, reached, audit: deps.audit };
  const servePage = ({ request, response }: Exchange): Promise<void> =>
    serveStatic({ folder: config.uiDir, ...deps.listener.options() }, request, response);
  const isServing = (): boolean => deps.failure?.() === undefined;
  const grpc = { ...rest, routes: grpcRoutes(routes), isServing };
  const serveCall: Dispatch['serveCall'] = (ctx, form, exchange) => serveGrpc(ctx, grpc, form, exchange);
  const serve: Dispatch['serve'] = async (ctx, path, exchange) => {
    const form = grpcFormOf(exchange.request);
    if (path === '/metrics' && deps.metrics) await serveMetrics(deps.metrics, exchange.response);
    else if (path === '/api/webhook') await webhooks.serve(ctx, exchange);
    else if (path.startsWith('/auth/')) await serveSso(ctx, sso, exchange);
    else if (form) await serveCall(ctx, form, { ...exchange, path });
    else if (/^\/api(\/|$)/.test(path)) await serveRest(ctx, rest, exchange);
    else await servePage(exchange);
  };
  const serveShell: Dispatch['serveShell'] = (ctx, connection) =>
    serveTerminal(ctx, { ...rest, deps }, connection);
  return { serve, serveCall, serveShell };
}

function ssoDepsOf({ auth, context, listener, onLogin }: ServerDeps): SsoDeps {
  const reached: SsoDeps['reached'] = () => {
    const { url, additionalUrls, server, ignored } = context.settings();
    const { cookiePath, basePath } = listener.options();
    const { trustedProxies } = server;
    const hasDex = ignored.some(({ key }) => key === 'dex.config');
    return { urls: [url, ...additionalUrls], trustedProxies, cookiePath, basePath, hasDex };
  };
  return { sso: auth.sso, sessions: auth.sessions, reached, onLogin };
}

function isOwnHost({ context }: ServerDeps, host: string | undefined): boolean {
  const { url, additionalUrls, server } = context.settings();
  return isServedHost(host, [url, ...additionalUrls, ...server.allowedHosts]);
}

/** A tunnel that forwards webhooks has its own host name; they are signed and need no session. */
function refuseHost(response: ServerResponse): void {
  response
    .writeHead(421, { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' })
    .end(`${unknownHost}\n`);
}

const unknownHost = 'unknown Host: add it to fairlead.server.allowedHosts in argocd-cm';

async function serveMetrics(
  { contentType, text }: NonNullable<ServerDeps['metrics']>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': contentType }).end(await text());
}

/** Every endpoint of the api table with its method; each service has a table of its own beside its methods. */
function routesOf(deps: ServerDeps, { version }: ServerConfig): RestRoute[] {
  const { context, auth, onLogin } = deps;
  const { namespace } = context;
  const { logins, sessions, sso, signToken } = auth;
  const settings = () => context.settings();
  const shownSettings = ({ user, permissions }: Pick<MethodCall, 'user' | 'permissions'>) => {
    const seesValues = () => permissions.may({ resource: 'accounts', action: 'update', object: '*' });
    return shownIn(settings(), user && { namespace, seesValues: seesValues() });
  };
  return [
    ...sessionRoutes({ logins, sessions, sso, version, settings, onLogin, shownSettings }),
    ...accountRoutes({ ...auth, context }),
    ...serviceRoutes({ ...deps, namespace, signToken }),
    ...applicationRoutes(deps),
    ...applicationSetRoutes(deps),
  ];
}
