import type { Ctx } from '#base/std';
import { notifications, settings } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { one, type RestRoute } from '../../rest/routes.ts';
import { namesOf } from './notification-names.ts';

export type SettingsDeps = {
  /** The names of the config management plugins. */
  readonly plugins: readonly string[];
  /** The data of argocd-notifications-cm. */
  notifications(): Readonly<Record<string, string>>;
};

export const settingsRoutes = (deps: SettingsDeps): RestRoute[] => [
  one(
    settings.plugins,
    signedIn(() => ({ plugins: deps.plugins.map((name) => ({ name })) })),
  ),
  one(
    notifications.services,
    signedIn(() => namesOf(deps.notifications(), 'service')),
  ),
  one(
    notifications.triggers,
    signedIn(() => namesOf(deps.notifications(), 'trigger')),
  ),
  one(
    notifications.templates,
    signedIn(() => namesOf(deps.notifications(), 'template')),
  ),
];

/** compat server §2.8: names only, so any session will do. */
const signedIn =
  <T>(answer: () => T) =>
  async (_ctx: Ctx, { permissions }: MethodCall): Promise<T> => {
    permissions.waive();
    return answer();
  };
