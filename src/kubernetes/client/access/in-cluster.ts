import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ctx, FairleadError } from '#base/std';
import { type ClusterAccess, checkAccess } from './cluster-access.ts';

/** Where a pod finds its own cluster: the service account's folder, and the address from the pod's environment. */
export type PodEnvironment = { readonly dir: string; readonly host: string; readonly port: string };

/** Access as the service account of the pod we run in. Throws NotFound when this is not a pod. */
export async function inClusterAccess(ctx: Ctx, { dir, host, port }: PodEnvironment): Promise<ClusterAccess> {
  ctx.signal.throwIfAborted();
  const namespace = await readFile(join(dir, 'namespace'), 'utf8').catch(() => undefined);
  if (!host || !port || namespace === undefined) {
    throw new FairleadError('NotFound', 'not running in a cluster: there is no service account to use');
  }
  return checkAccess({
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: namespace.trim(),
    tls: { ca: { file: join(dir, 'ca.crt') } },
    user: { tokenFile: join(dir, 'token') }, // rotated by the kubelet, so never read once for all
  });
}
