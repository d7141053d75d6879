import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Ctx, realClock, silent } from '#base/std';
import { createKubeClient, type KubeClient, loadKubeconfig, networkTransport } from '#kubernetes/client';
import type { Io } from '../io.ts';

export type KubeFlags = { kubeconfig?: string; context?: string };
type Access = Awaited<ReturnType<typeof loadKubeconfig>>;

export type OnCluster = { readonly ctx: Ctx; readonly kube: KubeClient; readonly access: Access };

/** In the order in which kubectl searches for them. */
function kubeconfigs({ env }: Pick<Io, 'env'>, { kubeconfig }: KubeFlags): readonly string[] {
  if (kubeconfig) return [kubeconfig];
  return env.KUBECONFIG ? env.KUBECONFIG.split(delimiter) : [join(env.HOME ?? '', '.kube', 'config')];
}

/** Works on the cluster of a kubeconfig, and closes its connections. */
export async function onCluster<T>(
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
  flags: KubeFlags,
  work: (on: OnCluster) => Promise<T>,
): Promise<T> {
  const ctx = { signal, log: silent, clock: realClock };
  const { context } = flags;
  const access = await loadKubeconfig(ctx, { files: kubeconfigs(io, flags), ...(context && { context }) });
  const environment = Object.fromEntries(
    Object.entries(io.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const transport = networkTransport(access, { log: silent, environment });
  try {
    return await work({ ctx, kube: createKubeClient({ transport }), access });
  } finally {
    transport.close();
  }
}

/** The authority that a kubeconfig names for its cluster, as PEM. */
export async function authorityOf({ tls }: Access): Promise<string | undefined> {
  if (!tls.ca) return undefined;
  return 'pem' in tls.ca ? tls.ca.pem : readFile(tls.ca.file, 'utf8');
}
