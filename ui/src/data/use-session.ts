import {
  call,
  type Send,
  type ServerSettings,
  type ServerVersion,
  type SettingsView,
  session,
  type UserInfo,
} from '#serve/api';
import { useSend } from './live.tsx';
import { type Loaded, useLoad } from './use-load.ts';

/** The signed-in user. */
export function useUser(): Loaded<UserInfo> {
  const send = useSend();
  return useLoad('user', '', (signal) => call(send, session.user, { signal }));
}

export function useVersion(): Loaded<ServerVersion> {
  const send = useSend();
  return useLoad('version', '', (signal) => call(send, session.version, { signal }));
}

/** What can be known before signing in. */
export function useServerSettings(): Loaded<ServerSettings & SettingsView> {
  const send = useSend();
  return useLoad('settings', '', (signal) => call(send, session.settings, { signal }));
}

/** The server sets a cookie that scripts cannot read; the token in the body is for programs. */
export const signIn = (send: Send, username: string, password: string) =>
  call(send, session.create, { body: { username, password } });

export const signOut = (send: Send) => call(send, session.delete);
