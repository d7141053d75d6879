import type { IncomingMessage, ServerResponse } from 'node:http';
import { maskApplication } from '#base/model';
import type { Ctx, FairleadError, Task } from '#base/std';
import { isLoopback, listenHttp } from '#platform/http';
import {
  type ApplicationList,
  type ApplicationWatchEvent,
  accounts,
  applicationSets,
  applications,
  projects,
  session,
} from '#serve/api';
import type { Auth } from './auth/open-auth.ts';
import * as account from './methods/accounts.ts';
import * as act from './methods/actions.ts';
import type { MethodDeps } from './methods/deps.ts';
import { createRoleToken, deleteRoleToken, type ProjectTokenDeps } from './methods/project-tokens.ts';
import * as read from './methods/read.ts';
import * as readSets from './methods/read-sets.ts';
import { createSession, deleteSession, settingsOf, userInfo, versionOf } from './methods/session.ts';
import * as tree from './methods/tree.ts';
import { windows } from './methods/windows.ts';
import * as write from './methods/write.ts';
import * as writeSets from './methods/write-sets.ts';
import { isServedHost, originOf } from './rest/origin.ts';
import { pathOf } from './rest/request.ts';
import { listed, many, one, open, type RestRoute } from './rest/routes.ts';
import { serveRest } from './rest/serve.ts';
import { isGrpc, refuseGrpc } from './rest/unknown-route.ts';
import { serveStatic } from './static.ts';
import { type WebhookDeps, WebhookReceiver } from './webhook/receive.ts';

export type ServerDeps = MethodDeps & {
  readonly auth: Omit<Auth, 'run'>;
  readonly projects: ProjectTokenDeps['projects'];
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

/** Responses contain no secret of an Application; only they are masked. */
const shownList = (list: ApplicationList): ApplicationList => ({
  ...list,
  items: list.items.map(maskApplication),
});

async function* shownEvents(
  events: AsyncIterable<ApplicationWatchEvent>,
): AsyncGenerator<ApplicationWatchEvent> {
  for await (const { type, application } of events) yield { type, application: maskApplication(application) };
}

/** Every endpoint of the api table with its method. */
function routesOf(deps: ServerDeps, { version }: ServerConfig): RestRoute[] {
  const { logins, sessions } = deps.auth;
  const url = () => deps.world.settings().url;
  return [
    open(session.create, (ctx, call) => createSession(ctx, { logins, onLogin: deps.onLogin }, call)),
    open(session.delete, (ctx, call) => deleteSession(ctx, sessions, call)),
    open(session.user, userInfo),
    open(session.version, versionOf(version)),
    open(session.settings, settingsOf(url, sessions)),
    ...setRoutes(deps),
    ...accountRoutes(deps),
    one(applications.list, async (ctx, call) => shownList(await read.list(ctx, deps, call))),
    one(applications.create, async (ctx, call) => maskApplication(await write.create(ctx, deps, call))),
    one(applications.get, async (ctx, call) => maskApplication(await write.get(ctx, deps, call))),
    one(applications.delete, (ctx, call) => write.remove(ctx, deps, call)),
    one(applications.sync, async (ctx, call) => maskApplication(await write.sync(ctx, deps, call))),
    one(applications.rollback, async (ctx, call) => maskApplication(await write.rollback(ctx, deps, call))),
    one(applications.terminate, (ctx, call) => write.terminate(ctx, deps, call)),
    one(applications.windows, (ctx, call) => windows(ctx, deps, call)),
    one(applications.tree, (ctx, call) => tree.tree(ctx, deps, call)),
    listed(applications.managedResources, (ctx, call) => read.managedResources(ctx, deps, call)),
    one(applications.revision, (ctx, call) => read.revision(ctx, deps, call)),
    one(applications.actions, (ctx, call) => act.actions(ctx, deps, call)),
    one(applications.runAction, (ctx, call) => act.runAction(ctx, deps, call)),
    one(applications.runActionWith, (ctx, call) => act.runActionWith(ctx, deps, call)),
    one(applications.resource, (ctx, call) => tree.resource(ctx, deps, call)),
    many(applications.watch, (ctx, call) => shownEvents(read.watch(ctx, deps, call))),
    many(applications.watchTree, (ctx, call) => tree.watchTree(ctx, deps, call)),
  ];
}

function accountRoutes(deps: ServerDeps): RestRoute[] {
  const { auth, world, kube } = deps;
  const given: account.AccountDeps = { ...auth, world };
  const roles: ProjectTokenDeps = {
    kube,
    namespace: world.namespace,
    projects: deps.projects,
    signToken: auth.signToken,
  };
  return [
    one(accounts.list, (ctx, call) => account.listAccounts(ctx, given, call)),
    one(accounts.updatePassword, (ctx, call) => account.updatePassword(ctx, given, call)),
    one(accounts.canI, (ctx, call) => account.canI(ctx, given, call)),
    one(accounts.get, (ctx, call) => account.getAccount(ctx, given, call)),
    one(accounts.createToken, (ctx, call) => account.createToken(ctx, given, call)),
    one(accounts.deleteToken, (ctx, call) => account.deleteToken(ctx, given, call)),
    one(projects.createToken, (ctx, call) => createRoleToken(ctx, roles, call)),
    one(projects.deleteToken, (ctx, call) => deleteRoleToken(ctx, roles, call)),
  ];
}

const setRoutes = (deps: ServerDeps): RestRoute[] => [
  one(applicationSets.list, (ctx, call) => readSets.list(ctx, deps, call)),
  one(applicationSets.create, (ctx, call) => writeSets.create(ctx, deps, call)),
  one(applicationSets.generate, (ctx, call) => writeSets.generate(ctx, deps, call)),
  one(applicationSets.preview, (ctx, call) => writeSets.preview(ctx, deps, call)),
  one(applicationSets.get, (ctx, call) => readSets.get(ctx, deps, call)),
  one(applicationSets.delete, (ctx, call) => writeSets.remove(ctx, deps, call)),
  one(applicationSets.tree, (ctx, call) => readSets.tree(ctx, deps, call)),
  one(applicationSets.events, (ctx, call) => readSets.events(ctx, deps, call)),
  many(applicationSets.watch, (ctx, call) => readSets.watch(ctx, deps, call)),
];
