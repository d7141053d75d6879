import type { Task } from '#base/std';
import { applicationSetController, createEventRecorder, type SetObserver } from '#control/controllers';
import type { Pushes } from '#control/live';
import type { QueueHooks } from '#control/runtime';
import type { Knowledge } from './knowledge.ts';

type Acting = { readonly pushes?: Pushes; readonly hooks?: QueueHooks; readonly observe?: SetObserver };

/** The controller of ApplicationSets, on the shared caches. */
export function setControllerOn(knowledge: Knowledge, { pushes, hooks, observe }: Acting = {}): Task {
  const { kube, apps, sets, clusters, sources, settings, projects, repositories } = knowledge;
  const controller = applicationSetController({
    ...{ kube, apps, sets },
    generators: knowledge.generators,
    evaluator: knowledge.evaluator,
    clusterChanges: (ctx) => clusters.secretChanges(ctx),
    watchRepository: (ctx, url) => sources.watchLocal(ctx, { url }),
    settingsChanges: (ctx) => settings.changes(ctx),
    projectChanges: (ctx) => projects.changes(ctx),
    repositoryChanges: (ctx) => repositories.changes(ctx),
    events: createEventRecorder({
      kube,
      component: 'applicationset-controller',
      labelsOf: knowledge.eventLabels,
    }),
    ...(pushes && { pushes: (ctx) => pushes.take(ctx) }),
    ...(hooks && { hooks }),
    ...(observe && { observe }),
  });
  return async (ctx) => {
    await knowledge.whenSynced(ctx);
    await controller(ctx);
  };
}
