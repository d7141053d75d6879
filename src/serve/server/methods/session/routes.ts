import { session } from '#serve/api';
import { open, type RestRoute } from '../../rest/routes.ts';
import {
  createSession,
  deleteSession,
  type SessionDeps,
  settingsOf,
  userInfo,
  versionOf,
} from './session.ts';

export const sessionRoutes = (deps: SessionDeps): RestRoute[] => [
  open(session.create, (ctx, call) => createSession(ctx, deps, call)),
  open(session.delete, (ctx, call) => deleteSession(ctx, deps, call)),
  open(session.user, userInfo),
  open(session.version, versionOf(deps.version)),
  open(session.settings, settingsOf(deps)),
];
