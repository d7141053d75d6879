import type { Ctx } from '#base/std';

/** compat server §7.2: Argo CD's names for its requests to Git hosts and registries. */
type RequestType = 'ls-remote' | 'fetch' | 'resolve-revision' | 'digest-metadata' | 'get-tags' | 'extract';

/**
 * Observes the requests to the hosts of repositories, for metrics. `repo` contains no user-info. Must not throw and
 * must not wait.
 */
export type SourceObserver = {
  /** A request begins; the returned function is called when it ends, however it ended. */
  request(repo: string, type: RequestType): () => void;
  /** A request failed; `revision` is as it was requested. */
  failed(repo: string, type: RequestType, revision: string): void;
  /** A caller waits for a fetch; the returned function is called when it no longer does. */
  waiting(repo: string): () => void;
};

type Request = { readonly repo: string; readonly type: RequestType };

/** Runs one request, and reports it to the observer if there is one. */
export async function reportRequest<Value>(
  observe: SourceObserver | undefined,
  { repo, type }: Request,
  work: () => Promise<Value>,
): Promise<Value> {
  const end = observe?.request(repo, type);
  try {
    return await work();
  } finally {
    end?.();
  }
}

/** Reports a failure to the observer. A caller that cancelled had no failure. */
export async function orFailed<Value>(
  { signal }: Pick<Ctx, 'signal'>,
  observe: SourceObserver | undefined,
  { repo, type, revision }: Request & { readonly revision: string },
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted) observe?.failed(repo, type, revision);
    throw error;
  }
}
