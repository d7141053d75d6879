import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const sessionRequest = z.object({
  username: z.string().default(''),
  password: z.string().default(''),
});
export type UserInfo = { loggedIn: boolean; username?: string; iss?: string; groups?: string[] };
/** compat server §2.3: these keys keep their capitals. */
export type ServerVersion = {
  Version: string;
  Platform?: string;
  HelmVersion?: string;
  KustomizeVersion?: string;
};
export type ServerSettings = { url?: string; userLoginsDisabled?: boolean; trackingMethod?: string };

export const session = {
  create: endpoint<{ token: string }>()('POST', '/api/v1/session', sessionRequest),
  delete: endpoint<Record<string, never>>()('DELETE', '/api/v1/session'),
  user: endpoint<UserInfo>()('GET', '/api/v1/session/userinfo'),
  version: endpoint<ServerVersion>()('GET', '/api/version'),
  settings: endpoint<ServerSettings>()('GET', '/api/v1/settings'),
} as const;
