import type { KubeClient } from '#kubernetes/client';
import { slices } from '#platform/workers';

/** The methods of a client that a sync uses. */
export type SyncClient = Pick<KubeClient, 'find' | 'create' | 'update' | 'patch' | 'apply' | 'delete'>;

/**
 * The same client for one piece of work, which may send megabytes: once its time slice is used up, it yields to other work
 * before each request and before it returns the response.
 */
export function yieldingClient(kube: SyncClient): SyncClient {
  const pause = slices();
  const yielding = async <Value>(send: () => Promise<Value>): Promise<Value> => {
    await pause();
    const response = await send();
    await pause();
    return response;
  };
  return {
    find: (...args) => yielding(() => kube.find(...args)),
    create: (...args) => yielding(() => kube.create(...args)),
    update: (...args) => yielding(() => kube.update(...args)),
    patch: (...args) => yielding(() => kube.patch(...args)),
    apply: (...args) => yielding(() => kube.apply(...args)),
    delete: (...args) => yielding(() => kube.delete(...args)),
  };
}
