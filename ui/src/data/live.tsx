import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react';
import type { Send } from '#serve/api';
import type { ApplicationsFeed, FeedState } from './applications-feed.ts';
import type { Revisions } from './revisions.ts';

/**
 * The data sources that the pages share: requests, the applications feed, and revisions. Made once, in
 * main.tsx.
 */
export type Live = { readonly send: Send; readonly feed: ApplicationsFeed; readonly revisions: Revisions };

const context = createContext<Live | undefined>(undefined);

export function LiveProvider({ live, children }: { live: Live; children: ReactNode }) {
  return <context.Provider value={live}>{children}</context.Provider>;
}

export function useLive(): Live {
  const live = useContext(context);
  if (!live) throw new Error('a page stands outside LiveProvider');
  return live;
}

export const useSend = (): Send => useLive().send;

/** The applications and the state of the connection. */
export function useApplications(): FeedState {
  const { feed } = useLive();
  return useSyncExternalStore(feed.subscribe, feed.snapshot);
}

/** Watches as long as a page that needs it is open, and reconnects at once when the network is back. */
export function useListening(): void {
  const { feed } = useLive();
  useEffect(() => {
    const stop = new AbortController();
    const wake = () => feed.wake();
    feed.run(stop.signal).catch(() => {}); // never rejects: errors are part of its state
    addEventListener('online', wake, { signal: stop.signal });
    addEventListener('focus', wake, { signal: stop.signal });
    return () => stop.abort();
  }, [feed]);
}
