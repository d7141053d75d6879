import { printTime, type RegisteredCluster, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { ClusterMember } from '#control/live';
import type { ClusterView } from '#serve/api';
import { filled } from '../filled.ts';

type ConnectionState = ClusterView['connectionState'];

/** compat server §1.7: the configuration without credentials; a credential plugin and its settings are left out. */
function configView({ config }: RegisteredCluster): ClusterView['config'] {
  const { awsAuthConfig, disableCompression, proxyUrl } = config;
  const { insecure = false, serverName } = config.tlsClientConfig ?? {};
  return {
    tlsClientConfig: { insecure, ...(serverName && { serverName }) },
    ...(awsAuthConfig && { awsAuthConfig }),
    ...(disableCompression && { disableCompression }),
    ...(proxyUrl && { proxyUrl: withoutUserInfo(proxyUrl) }),
  };
}

/** A cluster as a caller may read it. `applications` is the number of applications whose destination it is. */
export async function clusterView(
  ctx: Ctx,
  { record, live, problem }: ClusterMember,
  applications: number,
): Promise<ClusterView> {
  const { server, name, namespaces, clusterResources, shard, project, refreshRequestedAt } = record;
  const { labels, annotations } = record;
  const connectionState = await stateOf(ctx, { live, problem });
  const { version, apiVersions } = live?.cache.capabilities ?? { version: '', apiVersions: [] };
  const isRead = connectionState.status === 'Successful' && live !== undefined;
  const serverVersion = filled({ serverVersion: version });
  return {
    server,
    name,
    config: configView(record),
    connectionState,
    ...serverVersion,
    info: {
      connectionState,
      ...serverVersion,
      cacheInfo: isRead ? { resourcesCount: live.cache.size, apisCount: live.cache.kinds } : {},
      applicationsCount: applications,
      ...filled({ apiVersions }),
    },
    ...filled({ namespaces, clusterResources, project, labels, annotations, refreshRequestedAt }),
    ...(shard !== undefined && { shard }),
  };
}

/** Never waits for the cluster: what its watches found so far. */
async function stateOf(
  ctx: Ctx,
  { live, problem }: Pick<ClusterMember, 'live' | 'problem'>,
): Promise<ConnectionState> {
  const attemptedAt = printTime(ctx.clock.now());
  if (!live) return { status: 'Failed', message: problem ?? 'cluster is closed', attemptedAt };
  const { cache } = live;
  if (cache.isConnected) return { status: 'Successful', message: '', attemptedAt };
  const found = await cache.whenSynced({ ...ctx, signal: AbortSignal.abort(unread) }).then(
    () => cache.outage(ctx)?.error,
    (error: unknown) => error,
  );
  // a cluster that restarts is back before an outage is reported
  if (found === undefined)
    return { status: 'Unknown', message: 'the connection to the cluster was lost just now', attemptedAt };
  if (found === unread) return { status: 'Unknown', message: unread.message, attemptedAt: null };
  return { status: 'Failed', message: FairleadError.from(found).message, attemptedAt };
}

const unread = new Error('the cluster has not been read yet');
