import { type Ctx, FairleadError, printJson } from '#base/std';
import type { UpgradedConnection } from '#platform/http';
import { acceptSocket, refuseUpgrade } from '#platform/web-socket';
import { companionIn, cookieToken } from '../auth/cookies.ts';
import { refusalOf } from '../errors.ts';
import type { MethodDeps } from '../methods/deps.ts';
import { RequestAudit } from '../rest/audit.ts';
import { clientOf } from '../rest/client.ts';
import { isForeign } from '../rest/origin.ts';
import type { RestRoute } from '../rest/routes.ts';
import { runRoute, userOf, whileAllowed } from '../rest/run-route.ts';
import type { RestOptions } from '../rest/serve.ts';
import { converse, printed } from './converse.ts';
import { type ShellTarget, shellTarget } from './open-shell.ts';

export type TerminalOptions = Omit<RestOptions, 'routes'> & { readonly deps: MethodDeps };

/** compat server §2.9: what the page understands as "connect again", with the new session or to read why it ended. */
const reconnect = printed(printJson({ Code: 1 }));

/**
 * compat server §2.9: a shell in a container, for the page only: another client has kubectl. The session, the permissions and
 * the audit are those of any other method; a terminal ends when its session or one of its permissions does.
 */
export async function serveTerminal(
  ctx: Ctx,
  options: TerminalOptions,
  connection: UpgradedConnection,
): Promise<void> {
  const audit = new RequestAudit(options.audit);
  try {
    await open(ctx, options, connection, audit);
  } catch (error) {
    const { status, body } = refusalOf(error);
    await audit.completed(ctx, status);
    refuseUpgrade(connection.socket, status, printJson(body));
  }
}

async function open(
  ctx: Ctx,
  options: TerminalOptions,
  connection: UpgradedConnection,
  audit: RequestAudit,
): Promise<void> {
  const { request } = connection;
  const { trustedProxies, origins, cookiePath } = options.reached();
  if (isForeign(request, origins))
    throw new FairleadError('PermissionDenied', 'refused: a page of another site opened this');
  const token = cookieToken(request);
  if (!token)
    throw new FairleadError('InvalidSpec', 'a terminal needs the session of a browser: log in to the page');
  const { cookie } = request.headers;
  const route = terminalRoute(options.deps);
  const user = await userOf(ctx, options.sessions, route, { token, companion: companionIn(cookie) });
  const client = { ...clientOf(request, trustedProxies), cookiePath };
  const { query, params } = namedIn(request.url ?? '/');
  const call = { route, params, query, body: undefined, user, client, cookie };
  const { result, permissions } = await runRoute(ctx, options, call, audit);
  const target = (result as { readonly value: ShellTarget }).value;
  const end = await acceptSocket(connection);
  await audit.completed(ctx, 101);
  const cutOff = (): void => {
    end.send(reconnect);
    end.close(1008, 'the session or a permission has ended');
  };
  await whileAllowed(ctx, options.sessions, { user, permissions, cutOff }, () => converse(ctx, end, target));
}

/** The peer names the application and its project in words of its own here. */
function namedIn(url: string) {
  const query = new URL(url, 'http://localhost').searchParams;
  query.set('project', query.get('projectName') ?? '');
  return { query, params: { name: query.get('appName') ?? '' } };
}

export const terminalPath = '/terminal';

const terminalRoute = (deps: MethodDeps): RestRoute => ({
  endpoint: { method: 'GET', path: terminalPath, summary: 'a shell', query: {}, answer: 'stream' },
  isPublic: false,
  run: async (ctx, call) => ({ kind: 'one', value: await shellTarget(ctx, deps, call) }),
});
