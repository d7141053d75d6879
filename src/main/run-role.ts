import { inClusterServer } from '#base/model';
import { type Ctx, runAll, type Task } from '#base/std';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { findTool } from '#platform/exec';
import { listenMetrics } from '#serve/metrics';
import { awaitDefinitions, bootstrap } from './bootstrap.ts';
import { type Config, shipped } from './config.ts';
import { type ControlPlane, openControlPlane } from './control-plane.ts';
import { makeDataDir } from './data-dir.ts';
import { openObservers } from './observers.ts';
import { type OpenCluster, openCluster } from './open-cluster.ts';
import { openServer } from './open-server.ts';
import type { GitTool } from './open-sources.ts';
import { explained, preflight } from './preflight.ts';

type Say = (line: string) => void;

/** `fairlead controller`: runs the controllers; of several replicas, one at a time. */
export async function runController(outer: Ctx, config: Config, say: Say): Promise<void> {
  await onCluster(outer, config, async (ctx, plane, { kube, server, cluster }) => {
    const { namespace } = config;
    const { definitions, knownHosts } = shipped;
    const rollouts = config.rollouts.isOn ? shipped.rollouts : undefined;
    await bootstrap(ctx, kube, { namespace, definitions, rollouts, knownHosts, cm: {} }).catch(
      (error: unknown) => {
        throw explained(error, server);
      },
    );
    const announce = async () => say(`fairlead controller started on ${server}, namespace ${namespace}`);
    await runAll(ctx, [
      ...(await measured(ctx, config, { ...plane, failure: cluster.failure })),
      plane.control,
      announce,
    ]);
  });
}

/** `fairlead server`: serves the API, the UI and the webhooks; any number of replicas. */
export async function runServer(outer: Ctx, config: Config, say: Say): Promise<void> {
  await onCluster(outer, config, async (ctx, plane, { kube, server, cluster }) => {
    await awaitDefinitions(ctx, kube);
    const { url, run } = await openServer(ctx, config, { ...plane, failure: cluster.failure }).catch(
      (error: unknown) => {
        throw explained(error, server);
      },
    );
    const announce = async () => say(`fairlead ready at ${url} (serving ${server})`);
    await runAll(ctx, [
      ...(await measured(ctx, config, { ...plane, failure: cluster.failure })),
      plane.forward,
      run,
      announce,
    ]);
  });
}

/** The tasks that keep a control plane's caches current, and its metrics port if one is configured. */
export async function measured(
  ctx: Ctx,
  config: Config,
  { caches, page, failure }: ControlPlane & Pick<OpenCluster, 'failure'>,
): Promise<Task[]> {
  const { tasks } = caches;
  if (!config.metrics) return [...tasks];
  const { run } = await listenMetrics(
    ctx,
    { text: () => page.text(), contentType: page.contentType, failure },
    config.metrics,
  );
  return [...tasks, run];
}

type On = {
  readonly kube: KubeClient;
  /** The cluster's address, for users. */
  readonly server: string;
  readonly cluster: OpenCluster;
  readonly git: GitTool;
};
type Work = (ctx: Ctx, plane: ControlPlane, on: On) => Promise<void>;

/**
 * A control plane on the chosen cluster, closed when the work on it has ended. Everything that the work opened under its ctx
 * ends with it, also when the work fails before anything runs: an open port without a server would keep the process alive.
 */
export async function onCluster(ctx: Ctx, config: Config, work: Work): Promise<void> {
  await makeDataDir(config.dataDir);
  const git = await findTool(ctx, 'git', { searchPath: config.searchPath, cacheDir: config.toolsDir });
  const cluster = await openCluster(ctx, config);
  try {
    const observers = await openObservers();
    const address = cluster.server ?? inClusterServer;
    const transport = observers.conversations.counted(cluster.transport, address);
    const kube = createKubeClient({ transport });
    const server = cluster.server ?? 'this process';
    if (cluster.server) await preflight(ctx, kube, server);
    const plane = await openControlPlane(kube, config, git, observers);
    const over = new AbortController();
    try {
      await work({ ...ctx, signal: AbortSignal.any([ctx.signal, over.signal]) }, plane, {
        kube,
        server,
        cluster,
        git,
      });
    } finally {
      over.abort();
      await plane.close();
    }
  } finally {
    await cluster.close();
  }
}
