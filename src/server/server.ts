import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { applications, session } from '#api';
import { type Ctx, FairleadError, type Task } from '#std';
import type { Credentials } from './auth/accounts.ts';
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
  readonly credentials: Credentials;
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
  // who opens a connection has to say what for; answers may take as long as they like
  const http = createHttpServer({ headersTimeout: 15_000, requestTimeout: 60_000 });
  const serving = serveWith(deps, config);
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(inWords(error, config)));
    http.listen(config.port, config.host, () => resolve());
  });
  const { port } = http.address() as AddressInfo;
  const open = new Set<Promise<void>>();
  http.on('request', (request, response) => {
    const done = serving(ctx, request, response).finally(() => open.delete(done));
    open.add(done);
  });
  const close = (): void => {
    http.close();
    http.closeAllConnections();
  };
  ctx.signal.addEventListener('abort', close);
  const run: Task = async (inner) => {
    await new Promise<void>((resolve) => {
      if (inner.signal.aborted) resolve();
      else inner.signal.addEventListener('abort', () => resolve());
    });
    close();
    await Promise.all(open);
  };
  return { url: `http://localhost:${port}`, run };
}

function inWords(error: NodeJS.ErrnoException, { host, port }: ServerConfig): Error {
  const why = {
    EADDRINUSE: 'it is in use by another program; choose another --port',
    EADDRNOTAVAIL: 'this machine has no such address; choose another --host',
    EACCES: 'we may not; choose a --port above 1023',
    ENOTFOUND: 'there is no such host; choose another --host',
  }[error.code ?? ''];
  if (!why) return error;
  return new FairleadError('Unavailable', `cannot listen at ${host}:${port}: ${why}`, error);
}

function serveWith(deps: ServerDeps, config: ServerConfig) {
  const routes = routesOf(deps, config);
  const webhooks = new Webhooks(deps.webhook);
  const verify = (ctx: Ctx, token: string) => verifyToken(deps.credentials, token, ctx.clock.now());
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
  const logins = new Logins({ credentials: () => deps.credentials, sessionMs });
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
