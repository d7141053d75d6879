import { type Ctx, FairleadError } from '#base/std';
import type { ServerSettings, ServerVersion, UserInfo } from '#serve/api';
import { expiredCookies, tokenCookies } from '../../auth/cookies.ts';
import type { Auth } from '../../auth/open-auth.ts';
import type { MethodCall } from '../../rest/request.ts';

export type SessionDeps = {
  readonly logins: Auth['logins'];
  readonly sessions: Pick<Auth['sessions'], 'revoke' | 'hasLocalLogins'>;
  readonly version: string;
  url(): string;
  readonly onLogin?: ((status: 'success' | 'failure') => void) | undefined;
};
type Credentials = { readonly username: string; readonly password: string };

/** compat server §4.2: the token is returned and set as a cookie. */
export async function createSession(
  ctx: Ctx,
  { logins, onLogin }: Pick<SessionDeps, 'logins' | 'onLogin'>,
  { body, client }: MethodCall<Credentials>,
) {
  const { username, password } = body;
  if (!username) throw new FairleadError('Auth', 'Invalid username or password');
  const login = { username, password, address: client.address };
  const token = await logins.login(ctx, login).catch((error: unknown) => {
    onLogin?.('failure');
    throw error;
  });
  onLogin?.('success');
  return { value: { token }, headers: { 'set-cookie': tokenCookies(token, client) } };
}

/**
 * compat server §4.6: the token and every copy of it are no longer valid. Without a valid one only the cookie is
 * deleted.
 */
export async function deleteSession(
  ctx: Ctx,
  sessions: Pick<Auth['sessions'], 'revoke'>,
  { user, client, cookie }: MethodCall,
) {
  if (user) await sessions.revoke(ctx, user);
  const headers = { 'set-cookie': expiredCookies(cookie, client) };
  return { value: {} as Record<string, never>, headers };
}

export async function userInfo(_ctx: Ctx, { user, permissions }: MethodCall): Promise<{ value: UserInfo }> {
  if (!user) return { value: { loggedIn: false } };
  const groups = [...permissions.groups];
  return {
    value: {
      loggedIn: true,
      username: user.username,
      iss: user.issuer,
      ...(groups.length > 0 && { groups }),
    },
  };
}

export const versionOf = (version: string) => async (): Promise<{ value: ServerVersion }> => ({
  value: { Version: `v${version}`, Platform: `${process.platform}/${process.arch}` },
});

export const settingsOf =
  (url: () => string, sessions: Pick<Auth['sessions'], 'hasLocalLogins'>) =>
  async (): Promise<{ value: ServerSettings }> => ({
    value: { url: url(), userLoginsDisabled: !sessions.hasLocalLogins },
  });
