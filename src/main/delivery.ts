import { type Ctx, runAll, type Task } from '#base/std';
import {
  actWithoutPeer,
  analysisController,
  createEventRecorder,
  experimentController,
  NotificationConfigs,
  RolloutInformers,
  RolloutNotifier,
  rolloutController,
} from '#control/controllers';
import { type NotificationConfig, notificationNames } from '#control/notify';
import { type QueueHooks, runAsLeader } from '#control/runtime';
import { createRolloutMetrics, type MetricsPage } from '#serve/metrics';
import { fetchWeb, type Outside } from '#sources/repositories';
import { ensureNamespace } from './bootstrap.ts';
import type { Config } from './config.ts';
import { replicaName } from './replica-name.ts';
import { reportNotificationProblems } from './report-ignored.ts';
import { type SharedCaches, trustIn } from './shared-caches.ts';

/** compat rollouts RP-4: the Lease of Argo Rollouts, so that one that is started later waits. */
const leaseName = 'argo-rollouts-controller-lock';

/**
 * Progressive delivery. On the embedded cluster it always acts; on any other it acts while it holds the Lease and no controller
 * of Argo Rollouts is at work. Objects with an instance id belong to the holder of the Lease of that id, whatever else is at work.
 */
export async function deliveryOn(
  caches: Pick<SharedCaches, 'kube' | 'settings' | 'context'>,
  config: Config,
  { page, queue }: { readonly page: MetricsPage; readonly queue: (name: string) => QueueHooks },
): Promise<Task> {
  const { kube, settings } = caches;
  // compat rollouts RE-1: a loop writes at most ten events a minute about one object
  const events = createEventRecorder({ kube, component: 'rollouts-controller', refillMs: 6_000 });
  const seen: { informers?: RolloutInformers; standby?: string | undefined; clock?: Ctx['clock'] } = {};
  const observe = createRolloutMetrics(page, {
    rollouts: () => seen.informers?.rollouts.list() ?? [],
    runs: () => seen.informers?.runs.list() ?? [],
    experiments: () => seen.informers?.experiments.list() ?? [],
    templates: () => seen.informers?.templates.list() ?? [],
    isStandby: () => seen.standby !== undefined,
    now: () => seen.clock?.now().getTime() ?? 0,
  });
  const { instanceId, leaseNamespace: namespace } = config.rollouts;
  const seesPeers = Boolean(config.cluster) && instanceId === undefined;
  const act: Task = async (ctx) => {
    const informers = new RolloutInformers(kube);
    Object.assign(seen, { informers, clock: ctx.clock });
    const notifier = new RolloutNotifier({ ...notifierDeps(caches, config), events, observe });
    const { announce } = notifier;
    const deps = { kube, informers, events, observe, instanceId, announce };
    const request = metricRequest(config, settings);
    try {
      await runAll(ctx, [
        (inner) => informers.run(inner),
        (inner) => notifier.run(inner),
        rolloutController({
          ...deps,
          hooks: queue('Rollouts'),
          yieldsToPeer: seesPeers,
        }),
        analysisController({
          ...deps,
          request,
          prometheusAddress: config.rollouts.prometheus,
          hooks: queue('AnalysisRuns'),
        }),
        experimentController({ ...deps, hooks: queue('Experiments') }),
      ]);
    } finally {
      delete seen.informers;
    }
  };
  if (!config.cluster) return act;
  const identity = `fairlead_${await replicaName(config.dataDir)}`;
  const lease = { kube, namespace, name: instanceId ? `${leaseName}-${instanceId}` : leaseName, identity };
  const lead: Task = (ctx) => runAsLeader(ctx, lease, { lead: act });
  return async (ctx) => {
    await ensureNamespace(ctx, kube, namespace);
    if (!seesPeers) return lead(ctx);
    const onStandby = (why: string | undefined): void => {
      seen.standby = why;
    };
    const rollouts = () => seen.informers?.rollouts.list();
    await actWithoutPeer(ctx, { kube, identity, leaseName, rollouts, events, onStandby }, lead);
  };
}

/** compat rollouts RE-2: the configuration is where the controller of Argo Rollouts would be, and is reached by the same rules. */
function notifierDeps(
  { kube, settings, context }: Pick<SharedCaches, 'kube' | 'settings' | 'context'>,
  config: Config,
) {
  const { instanceId, leaseNamespace: namespace } = config.rollouts;
  const { reach: egress, proxy } = config;
  return {
    ...{ kube, namespace: context.namespace },
    configs: new NotificationConfigs({ kube, namespace, settings, topic: 'rollouts' }),
    recordsName: ['fairlead-rollout-notifications', instanceId].filter(Boolean).join('-'),
    outside: (): Outside => ({ egress, trust: trustIn(config, settings)(), proxy }),
    onProblems: (ctx: Ctx, { problems }: NotificationConfig) =>
      reportNotificationProblems(ctx, kube, { namespace, name: notificationNames.rollouts.cm, problems }),
  };
}

/** compat rollouts RA-18: metrics are read by the rules for repositories: the same addresses, authorities and proxies. */
function metricRequest(config: Config, settings: SharedCaches['settings']) {
  const { reach: egress, proxy } = config;
  const outside = (): Outside => ({ egress, trust: trustIn(config, settings)(), proxy });
  return (ctx: Ctx, request: Parameters<typeof fetchWeb>[2]) => fetchWeb(ctx, outside(), request);
}
