import { type Ctx, FairleadError } from '#base/std';
import { type NotificationConfigView, notifications } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { one, type RestRoute } from '../../rest/routes.ts';
import type { MethodDeps } from '../deps.ts';
import { configView } from './config-view.ts';
import { deliveries } from './deliveries.ts';
import { namesOf } from './names.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { preview } from './preview.ts';

export const notificationRoutes = (deps: NotificationDeps & MethodDeps): RestRoute[] => [
  one(
    notifications.services,
    signedIn(() => namesOf(deps.notifications.data(), 'service')),
  ),
  one(
    notifications.triggers,
    signedIn(() => ({ ...namesOf(deps.notifications.data(), 'trigger'), ...problemsIn(deps) })),
  ),
  one(
    notifications.templates,
    signedIn(() => namesOf(deps.notifications.data(), 'template')),
  ),
  one(notifications.config, async (_ctx, call) => config(deps, call)),
  one(notifications.deliveries, async (_ctx, call) => deliveries(deps, call)),
  one(notifications.preview, async (ctx, call) => preview(ctx, deps, call)),
];

/** It is about every application: subscriptions and texts may name any of them. */
function config(
  { notifications: { configsOf, data }, context }: NotificationDeps & MethodDeps,
  { permissions }: MethodCall,
): NotificationConfigView {
  permissions.require({ resource: 'applications', action: 'get', object: '*/*' });
  const [central] = configsOf(context.namespace);
  if (!central) throw new FairleadError('NotFound', 'notifications are not configured');
  return configView(central, data());
}

/** dev server §6.1: what of the configuration cannot be used; absent when all of it can. */
function problemsIn({ notifications: { configsOf }, context }: NotificationDeps & MethodDeps) {
  const { problems } = configsOf(context.namespace)[0] ?? { problems: [] };
  return problems.length > 0 ? { problems } : {};
}

/** compat server §2.8: names only, so any session will do. */
const signedIn =
  <T>(answer: () => T) =>
  async (_ctx: Ctx, { permissions }: MethodCall): Promise<T> => {
    permissions.waive();
    return answer();
  };
