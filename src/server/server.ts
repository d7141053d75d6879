import type { IncomingMessage, ServerResponse } from 'node:http';
import { applications, session } from '#api';
import { listenHttp } from '#http';
import type { Ctx, Task } from '#std';
import type { LiveCredentials } from './auth/live-credentials.ts';
import { Logins } from './auth/login.ts';
import { verifyToken } from './auth/tokens.ts';
import * as act from './methods/actions.ts';
import type { MethodDeps } from './methods/deps.ts';
import * as read from './methods/read.ts';
import { createSession, deleteSession, settingsOf, userInfo, versionOf } from './methods/session.ts';
import * as tree from './methods/tree.ts';
import { windows } from './methods/windows.ts';
import * as write from './methods/write.ts';
import { pathOf } from './rest/request.ts';
import { listed, many, one, open, type Route } from './rest/routes.ts';
import { serveRest } from './rest/serve.ts';
import { serveStatic } from './static.ts';
import { type WebhookDeps, Webhooks } from './webhook/receive.ts';

export type ServerDeps = MethodDeps & {
  readonly credentials: Pick<LiveCredentials, 'current' | 'ends'>;
  /** What Git hosts tell us, and how they are believed. */
  readonly webhook: WebhookDeps;
  /** Told what came of a login. Must not throw. */
  readonly onLogin?: (status: 'success' | 'failure') => void;
  /** What `/metrics` answers; left out: nothing is there. */
  readonly metrics?: { readonly contentType: string; text(): Promise<string> } | undefined;
};
export type ServerConfig = {
  readonly host: string;
  readonly port: number;
  /** The folder with the built web UI. */
  readonly uiDir: string;
  readonly version: string;
  readonly sessionMs: number;
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

function serveWith(deps: ServerDeps, config: ServerConfig) {
  const routes = routesOf(deps, config);
  const webhooks = new Webhooks(deps.webhook);
  const verify = async (ctx: Ctx, token: string) => {
    const ends = deps.credentials.ends(); // before anything is awaited: a change that comes meanwhile ends it
    return { ...(await verifyToken(deps.credentials.current(), token, ctx.clock.now())), ends };
  };
  return async (ctx: Ctx, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = pathOf(request.url ?? '/');
    if (path === '/healthz') response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n');
    else if (path === '/metrics' && deps.metrics) await serveMetrics(deps.metrics, response);
    else if (path === '/api/webhook') await webhooks.serve(ctx, { request, response });
    else if (path === '/api' || path.startsWith('/api/'))
      await serveRest(ctx, { routes, verify }, { request, response });
    else await serveStatic(config.uiDir, request, response);
  };
}

async function serveMetrics(
  { contentType, text }: NonNullable<ServerDeps['metrics']>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': contentType }).end(await text());
}

/** Every endpoint of the api table, joined to its method. */
function routesOf(deps: ServerDeps, { version, sessionMs }: ServerConfig): Route[] {
  const logins = new Logins({ credentials: () => deps.credentials.current(), sessionMs });
  const url = () => deps.world.settings().url;
  return [
    open(session.create, (ctx, call) =>
      createSession(ctx, { logins, isSecure: false, onLogin: deps.onLogin }, call),
    ),
    open(session.delete, deleteSession),
    open(session.user, userInfo),
    open(session.version, versionOf(version)),
    open(session.settings, settingsOf(url)),
    one(applications.list, (ctx, call) => read.list(ctx, deps, call)),
    one(applications.create, (ctx, call) => write.create(ctx, deps, call)),
    one(applications.get, (ctx, call) => write.get(ctx, deps, call)),
    one(applications.delete, (ctx, call) => write.remove(ctx, deps, call)),
    one(applications.sync, (ctx, call) => write.sync(ctx, deps, call)),
    one(applications.rollback, (ctx, call) => write.rollback(ctx, deps, call)),
    one(applications.terminate, (ctx, call) => write.terminate(ctx, deps, call)),
    one(applications.windows, (ctx, call) => windows(ctx, deps, call)),
    one(applications.tree, (ctx, call) => tree.tree(ctx, deps, call)),
    listed(applications.managedResources, (ctx, call) => read.managedResources(ctx, deps, call)),
    one(applications.revision, (ctx, call) => read.revision(ctx, deps, call)),
    one(applications.actions, (ctx, call) => act.actions(ctx, deps, call)),
    one(applications.runAction, (ctx, call) => act.runAction(ctx, deps, call)),
    one(applications.runActionWith, (ctx, call) => act.runActionWith(ctx, deps, call)),
    one(applications.resource, (ctx, call) => tree.resource(ctx, deps, call)),
    many(applications.watch, (ctx, call) => read.watch(ctx, deps, call)),
    many(applications.watchTree, (ctx, call) => tree.watchTree(ctx, deps, call)),
  ];
}
