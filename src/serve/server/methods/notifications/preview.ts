import { type Application, maskApplication, projectName } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import {
  type NotificationConfig,
  type NotificationSubject,
  previewNotifications,
  previewTemplate,
  previewTrigger,
} from '#control/notify';
import type { NotificationPreviews } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { findApplication } from '../applications/find.ts';
import type { MethodDeps } from '../deps.ts';
import type { NotificationDeps } from './notification-deps.ts';

/**
 * What would be sent about an application now: for each of its subscriptions, or for one trigger or template and a service, or
 * every service. Nothing is sent; secrets are shown as the references to them, and commits as examples.
 */
export function preview(
  ctx: Ctx,
  deps: NotificationDeps & MethodDeps,
  call: MethodCall,
): NotificationPreviews {
  const app = findApplication(deps, call, 'get');
  const configs = deps.notifications.configsOf(app.metadata.namespace ?? '');
  const subject = subjectOf(ctx, deps, app);
  const wanted = (name: string): string => call.query.get(name) ?? '';
  const [trigger, template, service] = [wanted('trigger'), wanted('template'), wanted('service')];
  if (!trigger && !template) return previewNotifications(configs, subject);
  const config = configOf(configs, { trigger, service });
  const services = service ? [service] : [...config.services.keys()];
  const destinations = (services.length > 0 ? services : ['']).map((name) => ({
    service: name,
    recipient: wanted('recipient'),
  }));
  if (trigger) return { items: previewTrigger(config, subject, trigger, destinations), problems: [] };
  const items = destinations.map((destination) => {
    const shown = previewTemplate(config, subject, { templates: [template], destination });
    return { trigger: '', ...destination, isTriggered: false, ...shown };
  });
  return { items, problems: [] };
}

/** An application may have a configuration of its namespace beside the central one: the one that has what is wanted. */
function configOf(
  configs: readonly NotificationConfig[],
  { trigger, service }: { readonly trigger: string; readonly service: string },
): NotificationConfig {
  const fitting = configs.filter(
    ({ triggers, services }) => (!trigger || triggers.has(trigger)) && (!service || services.has(service)),
  );
  const config = fitting[0] ?? configs[0];
  if (!config) throw new FairleadError('NotFound', 'notifications are not configured');
  if (trigger && !config.triggers.has(trigger))
    throw new FairleadError('NotFound', `there is no trigger ${trigger}`);
  return config;
}

/** No secrets of an application, and no tokens of a project. */
function subjectOf({ clock }: Ctx, { context }: MethodDeps, app: Application): NotificationSubject {
  const project = context.projects.get(context.namespace, projectName(app));
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
