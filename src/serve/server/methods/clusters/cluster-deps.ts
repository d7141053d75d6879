import type { RegisteredCluster } from '#base/model';
import { type Ctx, FairleadError, parseJson, within } from '#base/std';
import type { Clusters } from '#control/live';
import type { Action } from '#engine';
import type { KubeClient } from '#kubernetes/client';
import type { MethodDeps } from '../deps.ts';

export type ClusterDeps = Pick<MethodDeps, 'kube' | 'apps' | 'context'> & {
  readonly clusters: Pick<Clusters, 'members' | 'resolve' | 'secrets' | 'put' | 'drop'>;
  /** Works with a cluster as a record describes it, registered or not; the connection is closed afterwards. */
  withCluster<T>(record: RegisteredCluster, work: (kube: KubeClient) => Promise<T>): Promise<T>;
};

/** compat server §5.2: the address, after its project where it has one; never the name. */
export const onCluster = (
  action: string,
  { server, project }: { readonly server: string; readonly project?: string },
): Action => ({ resource: 'clusters', action, object: project ? `${project}/${server}` : server });

const answerMs = 15_000;

/**
 * The version of a cluster. Throws InvalidSpec with the reason why it cannot be reached, or does not accept the credentials:
 * `/version` is served to anyone, the list of APIs is not.
 */
export async function requireConnection(
  ctx: Ctx,
  deps: Pick<ClusterDeps, 'withCluster'>,
  record: RegisteredCluster,
): Promise<string> {
  const bounded = within(ctx, answerMs);
  const read = async (kube: KubeClient): Promise<string> => {
    const { text } = await kube.raw(bounded, { method: 'GET', path: '/version' });
    await kube.raw(bounded, { method: 'GET', path: '/api' });
    return (parseJson(text) as { gitVersion?: string }).gitVersion ?? '';
  };
  return deps.withCluster(record, read).catch((error: unknown) => {
    if (ctx.signal.aborted) throw error;
    const why = bounded.signal.aborted
      ? `no answer within ${answerMs / 1000} seconds`
      : FairleadError.from(error).message;
    throw new FairleadError('InvalidSpec', `cannot connect to cluster ${record.server}: ${why}`, error);
  });
}
