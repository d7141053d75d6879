import type { Ctx, FairleadError, Task } from '#base/std';
import { inClusterAccess, loadKubeconfig, networkTransport, type Transport } from '#kubernetes/client';
import type { ClusterChoice } from './choose-cluster.ts';
import type { Config } from './config.ts';
import { inProcess } from './in-process.ts';
import { warnOfRollouts } from './warn-of-rollouts.ts';

export type OpenCluster = {
  readonly transport: Transport;
  /** Its address, for users; undefined: the embedded one, in this process. */
  readonly server: string | undefined;
  /** Why the embedded cluster cannot write now; undefined when it can, and for any other cluster. */
  failure(): FairleadError | undefined;
  /** The tasks that run it. */
  readonly tasks: readonly Task[];
  close(): Promise<void>;
};

/** The cluster to work on: a kubeconfig's, the one this pod runs in, or the embedded one. */
export async function openCluster(ctx: Ctx, config: Config): Promise<OpenCluster> {
  if (config.cluster) return realCluster(ctx, config.cluster);
  // loaded only where it is needed: a replica in a cluster does not use the embedded one
  const { openEmbedded } = await import('#embedded');
  const { cluster, tasks, close } = await openEmbedded(ctx, {
    ...config,
    admission: config.rollouts.isOn ? warnOfRollouts : undefined,
  });
  // our client calls our server directly, without a network in between
  const transport = inProcess(cluster);
  return { transport, server: undefined, failure: () => cluster.failure(), tasks, close };
}

async function realCluster(ctx: Ctx, choice: ClusterChoice): Promise<OpenCluster> {
  const access =
    choice.kind === 'pod' ? await inClusterAccess(ctx, choice) : await loadKubeconfig(ctx, choice);
  // credential plugins are programs of the user's and get the user's environment
  const transport = networkTransport(access, { log: ctx.log, environment: choice.environment });
  return {
    transport,
    server: access.server,
    failure: () => undefined,
    tasks: [],
    close: async () => transport.close(),
  };
}
