import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import type { SettingsView } from './settings.ts';

const sessionRequest = z.object({
  username: z.string().default(''),
  password: z.string().default(''),
});
export type UserInfo = { loggedIn: boolean; username?: string; iss?: string; groups?: string[] };
/** compat server §2.3: these keys keep their capitals. */
export type ServerVersion = {
  Version: string;
  Platform?: string;
  /** The runtime, where the peer has Go. */
  GoVersion?: string;
  Compiler?: string;
  HelmVersion?: string;
  KustomizeVersion?: string;
};
/** compat server §2.8: what a client needs to log in with the identity provider. */
export type OidcView = {
  name: string;
  issuer: string;
  clientID: string;
  cliClientID?: string;
  scopes: readonly string[];
  idTokenClaims?: Readonly<Record<string, unknown>>;
  enablePKCEAuthentication?: boolean;
};
export type ServerSettings = {
  url?: string;
  userLoginsDisabled?: boolean;
  trackingMethod?: string;
  oidcConfig?: OidcView;
  /** The text of the button that begins single sign-on. */
  uiLoginButtonText?: string;
};

export const session = {
  create: endpoint<{ token: string }>()('POST', '/api/v1/session', sessionRequest),
  delete: endpoint<Record<string, never>>()('DELETE', '/api/v1/session'),
  user: endpoint<UserInfo>()('GET', '/api/v1/session/userinfo'),
  version: endpoint<ServerVersion>()('GET', '/api/version'),
  settings: endpoint<ServerSettings & SettingsView>()('GET', '/api/v1/settings'),
} as const;
