import { type Ctx, runAll, type Task } from '#base/std';
import {
  applicationController,
  createEventRecorder,
  type NotificationObserver,
  type Observer,
  projectController,
  type SetObserver,
} from '#control/controllers';
import { Pushes } from '#control/live';
import { runAsLeader } from '#control/runtime';
import type { Push } from '#engine';
import type { KubeClient } from '#kubernetes/client';
import type { MetricsPage } from '#serve/metrics';
import { forwardPushes, forwardToSets } from '#serve/server';
import { isWithin } from '#sources/repositories';
import type { Config } from './config.ts';
import { deliveryOn } from './delivery.ts';
import { notificationsOn } from './notifications.ts';
import { connectMetrics } from './notify-controller.ts';
import type { Observers } from './observers.ts';
import type { GitTool } from './open-sources.ts';
import { reaches } from './probe-repository.ts';
import { replicaName } from './replica-name.ts';
import { reportIgnored } from './report-ignored.ts';
import { setControllerOn } from './set-controller.ts';
import { openSharedCaches, type SharedCaches } from './shared-caches.ts';

/** Pushes that wait for the controllers; each controller takes its own. */
type WaitingPushes = { readonly apps: Pushes; readonly sets: Pushes };

/** The control plane on one cluster: its caches, its controllers and its metrics. */
export type ControlPlane = {
  readonly caches: SharedCaches;
  readonly pushes: WaitingPushes;
  readonly page: MetricsPage;
  /**
   * Runs the controllers while this process is the leader; while it is a standby, forwards pushes from webhooks to the
   * leader.
   */
  readonly control: Task;
  /** For a process that never leads: forwards pushes from webhooks to the leader. */
  readonly forward: Task;
  close(): Promise<void>;
};

export async function openControlPlane(
  kube: KubeClient,
  config: Config,
  git: GitTool,
  observers: Observers,
): Promise<ControlPlane> {
  const caches = await openSharedCaches(kube, config, git, observers);
  const pushes: WaitingPushes = { apps: new Pushes(), sets: new Pushes() };
  const { page } = observers;
  const forward: Task = (ctx) => passOn(ctx, caches, pushes);
  return {
    caches,
    pushes,
    page,
    control: (ctx) => control(ctx, config, { caches, pushes, observers, forward }),
    forward,
    close: () => caches.close(),
  };
}

type Parts = Pick<ControlPlane, 'caches' | 'pushes' | 'forward'> & { readonly observers: Observers };

/** The embedded cluster belongs to one process; on any other cluster the Lease elects the leader. */
async function control(ctx: Ctx, config: Config, parts: Parts): Promise<void> {
  const { caches, pushes, observers, forward } = parts;
  const { metrics, run } = connectMetrics(observers, caches);
  const acting = {
    ...{ pushes, config, observe: metrics, observeSets: metrics.sets },
    observeNotifications: metrics.notifications,
  };
  const act: Task = (inner) => runAll(inner, controllersOn(caches, acting));
  const options = {
    kube: caches.kube,
    namespace: config.namespace,
    name: 'fairlead-controller',
    identity: await replicaName(config.dataDir),
    onLeading: metrics.leading,
  };
  const lead: Task = (inner) => runAsLeader(inner, options, { lead: act, follow: forward });
  if (!config.cluster) metrics.leading(true);
  const observed = { page: observers.page, queue: metrics.queue };
  const deliver = config.rollouts.isOn ? [await deliveryOn(caches, config, observed)] : [];
  await runAll(ctx, [run, config.cluster ? lead : act, ...deliver]);
}

type Acting = {
  readonly pushes: WaitingPushes;
  readonly config: Config;
  readonly observe: Observer;
  readonly observeSets: SetObserver;
  readonly observeNotifications: NotificationObserver;
};

function controllersOn(caches: SharedCaches, acting: Acting): Task[] {
  const { pushes, config, observe, observeSets, observeNotifications } = acting;
  const { kube, apps, clusters, context, sources, settings, projects, repositories, comparisons } = caches;
  const controller = applicationController(
    {
      kube,
      informer: apps,
      clusters,
      context,
      watchRepository: (ctx, url) => sources.watchLocal(ctx, { url }),
      pushes: (ctx) => pushes.apps.take(ctx),
      satisfies: isWithin,
      projectChanges: (ctx) => projects.changes(ctx),
      settingsChanges: (ctx) => settings.changes(ctx),
      repositoryChanges: (ctx) => repositories.changes(ctx),
      trustChanges: (ctx) => settings.dataChanges(ctx),
      reaches: (ctx, source, project) => reaches(ctx, caches, source, project),
      comparisons,
      events: createEventRecorder({
        kube,
        component: 'argocd-application-controller',
        labelsOf: caches.eventLabels,
      }),
      observe,
      takeOver: config.takeOver,
    },
    // the controller limits the passes per cluster, repository, host and project; a waiting worker costs next to nothing
    { statusWorkers: 1_000, operationWorkers: 1_000 },
  );
  return [
    setControllerOn(caches, {
      pushes: pushes.sets,
      hooks: observe.queue('appset_reconciliation_queue'),
      observe: observeSets,
    }),
    projectController({
      kube,
      projects,
      apps,
      namespace: context.namespace,
      hooks: observe.queue('project_reconciliation_queue'),
    }),
    notificationsOn(caches, config, {
      hooks: observe.queue('notifications_queue'),
      observe: observeNotifications,
    }),
    reportIgnored({ kube, namespace: context.namespace, settings, clusters, repositories }),
    async (ctx) => {
      await caches.whenSynced(ctx);
      await controller(ctx);
    },
  ];
}

async function passOn(ctx: Ctx, caches: SharedCaches, pushes: WaitingPushes): Promise<void> {
  const { kube, apps, sets, settings } = caches;
  await Promise.all([apps, sets, settings].map((one) => one.whenSynced(ctx)));
  const deps = {
    kube,
    apps: () => apps.list(),
    settings: () => settings.current,
    satisfies: isWithin,
    giveBack: (push: Push) => void pushes.apps.add(push),
  };
  const setDeps = { kube, sets: () => sets.list(), giveBack: (push: Push) => void pushes.sets.add(push) };
  await runAll(ctx, [
    (inner) => forwardPushes(inner, deps, pushes.apps.take(inner)),
    (inner) => forwardToSets(inner, setDeps, pushes.sets.take(inner)),
  ]);
}
