import { inClusterServer, type RegisteredCluster } from '#base/model';
import { createKubeClient, type KubeClient, networkTransport, registeredAccess } from '#kubernetes/client';
import type { Config } from './config.ts';

/** Works with a cluster as a record describes it; the one we run in is reached through our own client. */
export const clusterConnector =
  (home: KubeClient, { cluster }: Pick<Config, 'cluster'>) =>
  async <T>(record: RegisteredCluster, work: (kube: KubeClient) => Promise<T>): Promise<T> => {
    if (record.server === inClusterServer) return work(home);
    const { environment = {} } = cluster ?? {};
    const transport = networkTransport(registeredAccess(record), { environment });
    try {
      return await work(createKubeClient({ transport }));
    } finally {
      transport.close();
    }
  };
