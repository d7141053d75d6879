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
  const unhurriedly = async <Value>(ask: () => Promise<Value>): Promise<Value> => {
    await pause();
    const answer = await ask();
    await pause();
    return answer;
  };
  return {
    find: (...asked) => unhurriedly(() => kube.find(...asked)),
    create: (...asked) => unhurriedly(() => kube.create(...asked)),
    update: (...asked) => unhurriedly(() => kube.update(...asked)),
    patch: (...asked) => unhurriedly(() => kube.patch(...asked)),
    apply: (...asked) => unhurriedly(() => kube.apply(...asked)),
    delete: (...asked) => unhurriedly(() => kube.delete(...asked)),
  };
}
