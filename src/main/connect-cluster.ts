import { inClusterServer, type RegisteredCluster } from '#base/model';
import { createKubeClient, type KubeClient, networkTransport, registeredAccess } from '#kubernetes/client';
import type { AddressPolicy } from '#platform/http';
import type { Config } from './config.ts';

/**
 * Which addresses a registered cluster may be at (decision 29): never link-local, metadata or unspecified ones. On loopback
 * there are clusters of kind and k3d, but what a role of a project registers may not be on it unless all is on this machine.
 */
export const addressesFor = (
  { reach }: Pick<Config, 'reach'>,
  { project }: RegisteredCluster,
): AddressPolicy => ({
  loopback: reach.loopback || project === '',
  ...(reach.hosts && { hosts: reach.hosts }),
});

/** Works with a cluster as a record describes it; the one we run in is reached through our own client. */
export const clusterConnector =
  (home: KubeClient, config: Pick<Config, 'cluster' | 'reach'>) =>
  async <T>(record: RegisteredCluster, work: (kube: KubeClient) => Promise<T>): Promise<T> => {
    if (record.server === inClusterServer) return work(home);
    const { environment = {} } = config.cluster ?? {};
    const policy = addressesFor(config, record);
    const transport = networkTransport(registeredAccess(record), { environment, policy });
    try {
      return await work(createKubeClient({ transport }));
    } finally {
      transport.close();
    }
  };
