import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ctx, FairleadError, Task } from '#base/std';
import { isLoopback, listenHttp } from '#platform/http';
import type { Auth } from './auth/open-auth.ts';
import { accountRoutes } from './methods/accounts/routes.ts';
import { applicationSetRoutes } from './methods/application-sets/routes.ts';
import { applicationRoutes } from './methods/applications/routes.ts';
import type { MethodDeps } from './methods/deps.ts';
import { type ServiceDeps, serviceRoutes } from './methods/services.ts';
import { sessionRoutes } from './methods/session/routes.ts';
import { isServedHost, originOf } from './rest/origin.ts';
import { pathOf } from './rest/request.ts';
import type { RestRoute } from './rest/routes.ts';
import { serveRest } from './rest/serve.ts';
import { isGrpc, refuseGrpc } from './rest/unknown-route.ts';
import { serveStatic } from './static.ts';
import { type WebhookDeps, WebhookReceiver } from './webhook/receive.ts';

export type ServerDeps = MethodDeps &
  ServiceDeps & {
    readonly auth: Omit<Auth, 'run'>;
    /** Webhooks of Git hosts, and how they are verified. */
    readonly webhook: WebhookDeps;
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
};

/** Listens now, so that the port is known; serves until the task's ctx stops, or before the task has begun the one given here. */
export async function listenServer(
  ctx: Ctx,
  deps: ServerDeps,
  config: ServerConfig,
): Promise<{ url: string; run: Task }> {
  const { port, run } = await listenHttp(ctx, {
    host: config.host,
    port: config.port,
    requestMs: 60_000,
    flags: { host: '--host', port: '--port' },
    serve: serveWith(deps, config),
  });
  return { url: `http://localhost:${port}`, run };
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

function serveWith(deps: ServerDeps, config: ServerConfig) {
  const serve = dispatch(deps, config);
  const isLocal = isLoopback(config.host);
  return async (ctx: Ctx, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request.url ?? '/');
    if (healthPaths.has(path)) serveHealth(deps.failure?.(), response);
    else if (isLocal && path !== '/api/webhook' && !isOwnHost(deps, request)) refuseHost(response);
    else await serve(ctx, path, { request, response });
  };
}

const healthPaths = new Set(['/healthz', '/readyz']);

/** The reason is only in the log: health needs no authentication. */
function serveHealth(failure: FairleadError | undefined, response: ServerResponse): void {
  const text = failure ? 'the embedded cluster cannot write: see the log of fairlead' : 'ok';
  response.writeHead(failure ? 503 : 200, { 'content-type': 'text/plain' }).end(`${text}\n`);
}

function dispatch(deps: ServerDeps, config: ServerConfig) {
  const routes = routesOf(deps, config);
  const webhooks = new WebhookReceiver(deps.webhook);
  const { sessions, policy } = deps.auth;
  const reached = () => {
    const { url, additionalUrls, server } = deps.world.settings();
    const origins = [url, ...additionalUrls].flatMap((one) => originOf(one) ?? []);
    return { trustedProxies: server.trustedProxies, origins };
  };
  return async (ctx: Ctx, path: string, exchange: Exchange): Promise<void> => {
    if (path === '/metrics' && deps.metrics) await serveMetrics(deps.metrics, exchange.response);
    else if (path === '/api/webhook') await webhooks.serve(ctx, exchange);
    else if (isGrpc(exchange.request)) refuseGrpc(exchange.request, exchange.response);
    else if (path === '/api' || path.startsWith('/api/'))
      await serveRest(ctx, { routes, sessions, policy, reached }, exchange);
    else await serveStatic(config.uiDir, exchange.request, exchange.response);
  };
}

function isOwnHost({ world }: ServerDeps, { headers }: IncomingMessage): boolean {
  const { url, additionalUrls, server } = world.settings();
  return isServedHost(headers.host, [url, ...additionalUrls, ...server.allowedHosts]);
}

/** A tunnel that forwards webhooks has its own host name; they are signed and need no session. */
function refuseHost(response: ServerResponse): void {
  const text = 'unknown Host: add it to fairlead.server.allowedHosts in argocd-cm';
  response
    .writeHead(421, { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' })
    .end(`${text}\n`);
}

async function serveMetrics(
  { contentType, text }: NonNullable<ServerDeps['metrics']>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': contentType }).end(await text());
}

/** Every endpoint of the api table with its method; each service has a table of its own beside its methods. */
function routesOf(deps: ServerDeps, { version }: ServerConfig): RestRoute[] {
  const { world, auth, onLogin } = deps;
  const { namespace } = world;
  const { logins, sessions, signToken } = auth;
  const url = () => world.settings().url;
  return [
    ...sessionRoutes({ logins, sessions, version, url, onLogin }),
    ...accountRoutes({ ...auth, world }),
    ...serviceRoutes({ ...deps, namespace, signToken }),
    ...applicationRoutes(deps),
    ...applicationSetRoutes(deps),
  ];
}
