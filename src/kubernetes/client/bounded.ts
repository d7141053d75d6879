import { FairleadError, onAbort } from '#base/std';

export type Limit = { readonly ms: number; readonly what: string };

/** A shorter life inside a longer one. `reason(error)` is why it ended, however the interrupted work words it. */
export type Deadline = {
  readonly signal: AbortSignal;
  reason(error: unknown): unknown;
  release(): void;
};

/**
 * Bounds real waiting. Unlike AbortSignal.any, nothing stays attached to the parent after `release`, which matters for
 * a parent that lives as long as the process and sees millions of requests.
 */
export function deadline(parent: AbortSignal, { ms, what }: Limit): Deadline {
  parent.throwIfAborted();
  const inner = new AbortController();
  const late = (): FairleadError =>
    new FairleadError('Unavailable', `${what} took longer than ${ms / 1000} s`);
  const timer = AbortSignal.timeout(ms);
  const forget = [
    onAbort(parent, () => inner.abort(parent.reason)),
    onAbort(timer, () => inner.abort(late())),
  ];
  return {
    signal: inner.signal,
    reason: (error) => (inner.signal.aborted ? inner.signal.reason : error),
    release() {
      for (const each of forget) each();
    },
  };
}

/** Runs one piece of work with a deadline. */
export async function bounded<T>(
  parent: AbortSignal,
  limit: Limit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = deadline(parent, limit);
  try {
    return await work(end.signal);
  } catch (error) {
    throw end.reason(error);
  } finally {
    end.release();
  }
}
