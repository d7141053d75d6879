import type { Ctx } from '#base/std';
import { settings } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { one, type RestRoute } from '../../rest/routes.ts';

export type SettingsDeps = {
  /** The names of the config management plugins. */
  readonly plugins: readonly string[];
};

export const settingsRoutes = (deps: SettingsDeps): RestRoute[] => [
  // compat server §2.8: names only, so any session will do
  one(settings.plugins, async (_ctx: Ctx, { permissions }: MethodCall) => {
    permissions.waive();
    return { plugins: deps.plugins.map((name) => ({ name })) };
  }),
];
