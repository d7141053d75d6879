import type { OidcSettings, Settings } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { OidcView, ServerSettings, ServerVersion, UserInfo } from '#serve/api';
import { companionIn, expiredCookies, tokenCookies } from '../../auth/cookies.ts';
import type { Auth } from '../../auth/open-auth.ts';
import type { MethodCall } from '../../rest/request.ts';

export type SessionDeps = {
  readonly logins: Auth['logins'];
  readonly sessions: Pick<Auth['sessions'], 'revoke' | 'hasLocalLogins'>;
  readonly sso: Pick<Auth['sso'], 'provider' | 'end'>;
  readonly version: string;
  readonly settings: () => Pick<Settings, 'url' | 'ui'>;
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
  { sessions, sso }: Pick<SessionDeps, 'sessions' | 'sso'>,
  { user, client, cookie }: MethodCall,
) {
  if (user) await sessions.revoke(ctx, user);
  await sso.end(ctx, companionIn(cookie));
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

/** compat server §2.8: an anonymous caller sees the version only. */
export const versionOf =
  (version: string) =>
  async (_ctx: Ctx, { user }: MethodCall): Promise<{ value: ServerVersion }> => {
    const Platform = `${process.platform}/${process.arch}`;
    const details = { Platform, GoVersion: `node ${process.version}`, Compiler: 'v8' };
    return { value: { Version: `v${version}`, ...(user && details) } };
  };

/** compat server §2.8: readable without a session, so without anything that is secret. */
export const settingsOf =
  ({ settings, sessions, sso }: Pick<SessionDeps, 'settings' | 'sessions' | 'sso'>) =>
  async (): Promise<{ value: ServerSettings }> => {
    const { url, ui } = settings();
    const oidc = sso.provider.settings;
    return {
      value: {
        ...{ url, userLoginsDisabled: !sessions.hasLocalLogins },
        ...(oidc && { oidcConfig: viewOf(oidc) }),
        ...(ui.loginButtonText && { uiLoginButtonText: ui.loginButtonText }),
      },
    };
  };

function viewOf(oidc: OidcSettings): OidcView {
  const { name, issuer, clientId, cliClientId, requestedScopes, requestedIdTokenClaims, pkceEnabled } = oidc;
  return {
    ...{ name, issuer, clientID: clientId, scopes: requestedScopes },
    ...(cliClientId && { cliClientID: cliClientId }),
    ...(Object.keys(requestedIdTokenClaims).length > 0 && { idTokenClaims: requestedIdTokenClaims }),
    ...(pkceEnabled && { enablePKCEAuthentication: true }),
  };
}
