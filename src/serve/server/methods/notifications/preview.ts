import { type Application, maskApplication, projectName } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type NotificationSubject, previewNotifications, previewTemplate } from '#control/notify';
import type { NotificationPreviews } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { findApplication } from '../applications/find.ts';
import type { MethodDeps } from '../deps.ts';
import type { NotificationDeps } from './notification-deps.ts';

/**
 * What would be sent about an application now: for each of its subscriptions, or for one template and service. Nothing is
 * sent; secrets are shown as the references to them, and commits as examples.
 */
export function preview(
  ctx: Ctx,
  deps: NotificationDeps & MethodDeps,
  call: MethodCall,
): NotificationPreviews {
  const app = findApplication(deps, call, 'get');
  const configs = deps.notifications.configsOf(app.metadata.namespace ?? '');
  const subject = subjectOf(ctx, deps, app);
  const template = call.query.get('template');
  if (!template) return previewNotifications(configs, subject);
  const service = call.query.get('service') ?? '';
  const config = configs.find(({ services }) => services.has(service)) ?? configs[0];
  if (!config) throw new FairleadError('NotFound', 'notifications are not configured');
  const destination = { service, recipient: call.query.get('recipient') ?? '' };
  const shown = previewTemplate(config, subject, { templates: [template], destination });
  return { items: [{ trigger: '', ...destination, isTriggered: false, ...shown }], problems: [] };
}

/** No secrets of an application, and no tokens of a project. */
function subjectOf({ clock }: Ctx, { world }: MethodDeps, app: Application): NotificationSubject {
  const project = world.projects.get(world.namespace, projectName(app));
  const { roles: _roles, ...spec } = project?.spec ?? {};
  return {
    app: maskApplication(app),
    project: project && { ...project, spec },
    now: () => clock.now().getTime(),
    commit: (revision) => ({
      author: 'Author <author@example.com>',
      message: `message of ${revision.slice(0, 7)}`,
      date: clock.now(),
      tags: [],
    }),
  };
}
