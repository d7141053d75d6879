import type { Application } from '#base/model';
import type { Ctx, Task } from '#base/std';
import {
  createEventRecorder,
  type NotificationControllerDeps,
  type NotificationObserver,
  notificationController,
} from '#control/controllers';
import type { QueueHooks } from '#control/runtime';
import type { Config } from './config.ts';
import { describeRevision } from './describe-revision.ts';
import { reportNotificationProblems } from './report-ignored.ts';
import { type SharedCaches, trustIn } from './shared-caches.ts';

type Acting = { readonly hooks?: QueueHooks; readonly observe?: NotificationObserver };
type Reached = Pick<Config, 'reach' | 'proxy' | 'machine'>;

/** The controller of notifications, on the shared caches. Services are reached by the rules for repositories (decision 29). */
export function notificationsOn(
  caches: SharedCaches,
  config: Reached,
  { hooks, observe }: Acting = {},
): Task {
  const { kube, apps, projects, settings, context, notifications: configs } = caches;
  const { namespace } = context;
  const { reach: egress, proxy } = config;
  const controller = notificationController({
    ...{ kube, apps, projects, settings, namespace, configs },
    outside: () => ({ egress, proxy, trust: trustIn(config, settings)() }),
    events: createEventRecorder({
      kube,
      component: 'argocd-notifications-controller',
      labelsOf: caches.eventLabels,
    }),
    describe: commitReader(caches),
    onProblems: (ctx, { problems }) => reportNotificationProblems(ctx, kube, { namespace, problems }),
    ...(hooks && { hooks }),
    ...(observe && { observe }),
  });
  return async (ctx) => {
    await caches.whenSynced(ctx);
    await controller(ctx);
  };
}

/** compat server §6.2: the commit of the first source; charts and artifacts have none. */
function commitReader({ sources, repositories }: SharedCaches): NotificationControllerDeps['describe'] {
  const describe = describeRevision(sources, (url, project) => repositories.find(url, project));
  return async (ctx: Ctx, app: Application, revision: string) => {
    const source = app.spec?.sources?.[0] ?? app.spec?.source;
    if (!source) return undefined;
    const found = await describe(ctx, source, revision, app.spec.project || 'default');
    if (found.kind !== 'commit') return undefined;
    const { message, author, date } = found;
    return { message, author, date, tags: [] };
  };
}
