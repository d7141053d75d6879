import type { ServerSettings, UserInfo, Version } from '#api';
import { type Ctx, FairleadError } from '#std';
import type { Logins } from '../auth/login.ts';
import type { Call } from '../rest/request.ts';

const clear = 'argocd.token=; Path=/; SameSite=lax; HttpOnly; Max-Age=0';

type SessionDeps = {
  readonly logins: Logins;
  readonly isSecure: boolean;
  readonly onLogin?: ((status: 'success' | 'failure') => void) | undefined;
};

/** compat server §4.2: the token is answered and set as a cookie. */
export async function createSession(
  ctx: Ctx,
  { logins, isSecure, onLogin }: SessionDeps,
  { body }: Call<{ username: string; password: string }>,
) {
  if (!body.username) throw new FairleadError('Auth', 'Invalid username or password');
  const token = await logins.login(ctx, body.username, body.password).catch((error: unknown) => {
    onLogin?.('failure');
    throw error;
  });
  onLogin?.('success');
  const cookie = `argocd.token=${token}; Path=/; SameSite=lax; HttpOnly${isSecure ? '; Secure' : ''}`;
  return { value: { token }, headers: { 'set-cookie': cookie } };
}

export async function deleteSession() {
  return { value: {} as Record<string, never>, headers: { 'set-cookie': clear } };
}

export async function userInfo(_ctx: Ctx, { user }: Call): Promise<{ value: UserInfo }> {
  if (!user) return { value: { loggedIn: false } };
  return { value: { loggedIn: true, username: user.username, iss: user.issuer } };
}

export const versionOf = (version: string) => async (): Promise<{ value: Version }> => ({
  value: { Version: `v${version}`, Platform: `${process.platform}/${process.arch}` },
});

export const settingsOf = (url: () => string) => async (): Promise<{ value: ServerSettings }> => ({
  value: { url: url(), userLoginsDisabled: false },
});
