import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, createCluster, type Listener, listen, type Objects } from '#devcluster';
import { loadKubeconfig, networkTransport, type Transport } from '#kube';
import { admitKnative, createPodLogs, installDefinitions, runSimulation } from '#simulate';
import type { Ctx, Task } from '#std';
import { openStore } from '#store';
import type { UpConfig } from './config.ts';

type RealCluster = NonNullable<UpConfig['cluster']>;

export type OpenCluster = {
  readonly transport: Transport;
  /** What keeps it going. */
  readonly tasks: readonly Task[];
  close(): Promise<void>;
};

/** The cluster to work on: the kubeconfig's, or our own, kept in the data folder and served to kubectl as well. */
export async function openCluster(ctx: Ctx, config: UpConfig): Promise<OpenCluster> {
  return config.cluster ? realCluster(ctx, config.cluster) : embeddedCluster(ctx, config);
}

async function realCluster(ctx: Ctx, { environment, ...choice }: RealCluster): Promise<OpenCluster> {
  const access = await loadKubeconfig(ctx, choice);
  // credential plugins are programs of the user's and get the user's environment
  const transport = networkTransport(access, { log: ctx.log, environment });
  return { transport, tasks: [], close: async () => transport.close() };
}

async function embeddedCluster(ctx: Ctx, { dataDir }: UpConfig): Promise<OpenCluster> {
  const store = await openStore(join(dataDir, 'store'));
  let objects: Objects | undefined;
  const cluster = await createCluster({
    store,
    clock: ctx.clock,
    log: ctx.log,
    webhooks: admitKnative,
    podLogs: createPodLogs(() => objects, ctx.clock),
  });
  objects = cluster.objects;
  await installDefinitions(cluster.objects);
  const listener = await listenAgain(ctx, cluster, dataDir);
  return {
    // our client and our server meet here, without a network between them
    transport: (request) => cluster.handle(request),
    tasks: [(c) => runSimulation(c, cluster.objects, {})],
    close: async () => {
      await listener.close();
      await cluster.close();
      await store.close();
    },
  };
}

/** On the port of the last start if it is free, so that open shells and copied kubeconfigs go on working. */
async function listenAgain(ctx: Ctx, cluster: Cluster, dir: string): Promise<Listener> {
  const kubeconfig = await readFile(join(dir, 'kubeconfig'), 'utf8').catch(() => '');
  const port = Number(/server: "?https:\/\/[^\s"]*:(\d+)/.exec(kubeconfig)?.[1] ?? 0);
  try {
    return await listen(ctx, cluster, { port, dir });
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listen(ctx, cluster, { port: 0, dir });
  }
}
