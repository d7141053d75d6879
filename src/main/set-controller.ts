import type { Task } from '#base/std';
import { applicationSetController, createEventRecorder, type SetObserver } from '#control/controllers';
import type { Pushes } from '#control/live';
import type { QueueHooks } from '#control/runtime';
import type { SharedCaches } from './shared-caches.ts';

type Acting = { readonly pushes?: Pushes; readonly hooks?: QueueHooks; readonly observe?: SetObserver };

/** The controller of ApplicationSets, on the shared caches. */
export function setControllerOn(caches: SharedCaches, { pushes, hooks, observe }: Acting = {}): Task {
  const { kube, apps, sets, clusters, sources, settings, projects, repositories } = caches;
  const controller = applicationSetController({
    ...{ kube, apps, sets },
    generators: caches.generators,
    evaluator: caches.evaluator,
    clusterChanges: (ctx) => clusters.secretChanges(ctx),
    watchRepository: (ctx, url) => sources.watchLocal(ctx, { url }),
    settingsChanges: (ctx) => settings.changes(ctx),
    projectChanges: (ctx) => projects.changes(ctx),
    repositoryChanges: (ctx) => repositories.changes(ctx),
    events: createEventRecorder({
      kube,
      component: 'applicationset-controller',
      labelsOf: caches.eventLabels,
    }),
    ...(pushes && { pushes: (ctx) => pushes.take(ctx) }),
    ...(hooks && { hooks }),
    ...(observe && { observe }),
  });
  return async (ctx) => {
    await caches.whenSynced(ctx);
    await controller(ctx);
  };
}
