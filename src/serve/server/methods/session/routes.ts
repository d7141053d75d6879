import { type SettingsView, session } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { open, type RestRoute } from '../../rest/routes.ts';
import {
  createSession,
  deleteSession,
  type SessionDeps,
  settingsOf,
  userInfo,
  versionOf,
} from './session.ts';

/** What the other services add to the settings. */
type Shown = { shownSettings(caller: Pick<MethodCall, 'user' | 'permissions'>): SettingsView };

export const sessionRoutes = (deps: SessionDeps & Shown): RestRoute[] => [
  open(session.create, (ctx, call) => createSession(ctx, deps, call)),
  open(session.delete, (ctx, call) => deleteSession(ctx, deps, call)),
  open(session.user, userInfo),
  open(session.version, versionOf(deps.version)),
  open(session.settings, async (_ctx, call) => {
    const { value } = await settingsOf(deps)();
    return { value: { ...deps.shownSettings(call), ...value } };
  }),
];
