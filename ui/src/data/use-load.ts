import { useEffect, useEffectEvent, useState } from 'react';
import { FairleadError } from '#base/std';

export type Loaded<T> = {
  /** The last response, also while the next request is running. */
  readonly data?: T;
  /** Why there is no newer one. */
  readonly error?: FairleadError;
};

/** Fetches, and fetches again whenever `key` changes. Another `subject` drops the old data. */
export function useLoad<T>(
  subject: string,
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { subject: string }>({ subject });
  const request = useEffectEvent((signal: AbortSignal) => load(signal));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed key is the reason to fetch again
  useEffect(() => {
    const stop = new AbortController();
    const run = async () => {
      try {
        const data = await request(stop.signal);
        if (!stop.signal.aborted) setState({ subject, data });
      } catch (thrown) {
        if (stop.signal.aborted) return;
        const error = FairleadError.from(thrown);
        setState((was) => ({ ...(was.subject === subject ? was : {}), subject, error }));
      }
    };
    run().catch(() => {}); // both ends are handled inside
    return () => stop.abort();
  }, [subject, key]);
  return state.subject === subject ? state : {};
}
