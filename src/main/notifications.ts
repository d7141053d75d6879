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
import { type Knowledge, trustIn } from './knowledge.ts';
import { reportNotificationProblems } from './report-ignored.ts';

type Acting = { readonly hooks?: QueueHooks; readonly observe?: NotificationObserver };
type Reached = Pick<Config, 'reach' | 'proxy' | 'machine'>;

/** The controller of notifications, on the shared caches. Services are reached by the rules for repositories (decision 29). */
export function notificationsOn(
  knowledge: Knowledge,
  config: Reached,
  { hooks, observe }: Acting = {},
): Task {
  const { kube, apps, projects, settings, context, notifications: configs } = knowledge;
  const { namespace } = context;
  const { reach: egress, proxy } = config;
  const controller = notificationController({
    ...{ kube, apps, projects, settings, namespace, configs },
    outside: () => ({ egress, proxy, trust: trustIn(config, settings)() }),
    events: createEventRecorder({
      kube,
      component: 'argocd-notifications-controller',
      labelsOf: knowledge.eventLabels,
    }),
    describe: commitReader(knowledge),
    onProblems: (ctx, { problems }) => reportNotificationProblems(ctx, kube, { namespace, problems }),
    ...(hooks && { hooks }),
    ...(observe && { observe }),
  });
  return async (ctx) => {
    await knowledge.whenSynced(ctx);
    await controller(ctx);
  };
}

/** compat server §6.2: the commit of the first source; charts and artifacts have none. */
function commitReader({ sources, repositories }: Knowledge): NotificationControllerDeps['describe'] {
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
