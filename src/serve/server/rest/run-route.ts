import { type Ctx, FairleadError, joined } from '#base/std';
import type { SessionUser } from '../auth/tokens.ts';
import type { LivePolicy } from '../rbac/live-policy.ts';
import { Permissions } from '../rbac/permissions.ts';
import type { RequestAudit } from './audit.ts';
import type { MethodCall } from './request.ts';
import type { RestResult, RestRoute } from './routes.ts';

export type RouteSessions = {
  /** Throws Auth for a token that is not valid. */
  verify(ctx: Ctx, token: string, companion?: string): Promise<SessionUser>;
  /** Resolves when the user's token is no longer valid, without one when anonymous access ends, or `ctx` stops. */
  untilEnd(ctx: Ctx, user: SessionUser | undefined): Promise<void>;
  readonly isAnonymousAllowed: boolean;
};

/** What a caller presents: a token, and the cookie beside it where the token is a cookie too. */
export type PresentedToken = { readonly token: string | undefined; readonly companion: string | undefined };

/**
 * The user of a call; undefined without a valid token, where that is enough: on a public route, and on any route where
 * anonymous access is enabled (compat server §4.6). Throws Auth otherwise.
 */
export async function userOf(
  ctx: Ctx,
  sessions: RouteSessions,
  { isPublic }: Pick<RestRoute, 'isPublic'>,
  { token, companion }: PresentedToken,
): Promise<SessionUser | undefined> {
  try {
    if (!token) throw new FairleadError('Auth', 'no session information');
    return await sessions.verify(ctx, token, companion);
  } catch (error) {
    if (isPublic) return undefined;
    if (FairleadError.from(error).code === 'Auth' && sessions.isAnonymousAllowed) return undefined;
    throw error;
  }
}

type RouteCall = Omit<MethodCall, 'permissions'> & { readonly route: RestRoute };

/**
 * Calls the method of a route: its body is checked, the audit has a record before it runs, and it must have decided with its
 * permissions. REST and gRPC both come through here.
 */
export async function runRoute(
  ctx: Ctx,
  { policy }: { readonly policy: LivePolicy },
  { route, ...given }: RouteCall,
  audit: RequestAudit,
): Promise<{ readonly result: RestResult; readonly permissions: Permissions }> {
  const body = checked(route, given.body);
  const permissions = new Permissions(policy, given.user);
  const call = { ...given, body, permissions };
  await audit.received(ctx, route, call);
  const result = await route.run(ctx, call);
  if (!route.isPublic) permissions.requireUsed(`${route.endpoint.method} ${route.endpoint.path}`);
  return { result, permissions };
}

function checked({ endpoint }: RestRoute, body: unknown): unknown {
  if (!endpoint.body) return undefined;
  const parsed = endpoint.body.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue?.path.join('.') || 'body';
  throw new FairleadError('InvalidSpec', `${where}: ${issue?.message ?? 'not what was expected'}`);
}

type StreamHolder = {
  readonly user: SessionUser | undefined;
  readonly permissions: Permissions;
  /** Ends the stream at once. */
  cutOff(): void;
};

/**
 * Sends a stream, which is cut off as soon as its reader's token is no longer valid, or a permission that it needs is revoked;
 * opening it again returns the reason.
 */
export async function whileAllowed(
  ctx: Ctx,
  sessions: RouteSessions,
  { user, permissions, cutOff }: StreamHolder,
  send: () => Promise<void>,
): Promise<void> {
  const sent = new AbortController();
  const { signal, release } = joined(ctx.signal, sent.signal);
  const inner = { ...ctx, signal };
  const end = () => !sent.signal.aborted && cutOff();
  const ended = sessions.untilEnd(inner, user).finally(end);
  const revoked = permissions.untilRevoked(inner).finally(end);
  try {
    await send();
  } finally {
    sent.abort();
    await Promise.all([ended, revoked]);
    release();
  }
}
