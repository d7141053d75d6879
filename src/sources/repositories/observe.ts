import type { Ctx } from '#base/std';

/** compat server §7.2: the peer's words for what it asks of Git hosts and of registries. */
type RequestType = 'ls-remote' | 'fetch' | 'resolve-revision' | 'digest-metadata' | 'get-tags' | 'extract';

/** Told what is asked of the hosts of repositories, for metrics. `repo` holds no user-info. Must not throw and must not wait. */
export type SourceObserver = {
  /** A request begins; what comes back is called when it is over, however it ended. */
  request(repo: string, type: RequestType): () => void;
  /** What was asked for could not be had; `revision` is as it was asked for. */
  failed(repo: string, type: RequestType, revision: string): void;
  /** Somebody waits for something to be fetched; what comes back is called when they do no more. */
  waiting(repo: string): () => void;
};

type Request = { readonly repo: string; readonly type: RequestType };

/** Does one request, and tells of it if there is somebody to tell. */
export async function told<Value>(
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

/** Tells when something could not be had. Who left before it came had no failure. */
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
