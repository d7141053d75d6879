import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { hasReason, type KubeClient } from '#kubernetes/client';

export type TrustDeps = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'update'>;
  readonly namespace: string;
};

type Data = Readonly<Record<string, string>>;
type ConfigMap = KubeObject & { readonly data?: Data };

const refIn = (namespace: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });

/** The data of a ConfigMap, as it is in the cluster now; empty when there is none. */
export async function dataOf(ctx: Ctx, { kube, namespace }: TrustDeps, name: string): Promise<Data> {
  return ((await kube.find(ctx, refIn(namespace, name))) as ConfigMap | undefined)?.data ?? {};
}

/** Changes the data of a ConfigMap, which is created when there is none; again when another writer was faster. */
export async function changeData<T>(
  ctx: Ctx,
  { kube, namespace }: TrustDeps,
  name: string,
  change: (data: Data) => { readonly data: Data; readonly result: T },
): Promise<T> {
  for (;;) {
    const found = (await kube.find(ctx, refIn(namespace, name))) as ConfigMap | undefined;
    const { data, result } = change(found?.data ?? {});
    try {
      const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'argocd' };
      const fresh = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data };
      await (found
        ? kube.update(ctx, { ...found, data } as KubeObject)
        : kube.create(ctx, fresh as KubeObject));
      return result;
    } catch (error) {
      if (!hasReason(error, 'Conflict', 'AlreadyExists')) throw error;
    }
  }
}
