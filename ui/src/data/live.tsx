import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react';
import type { Application, ApplicationSet } from '#base/model';
import type { Send } from '#serve/api';
import type { FeedState, ObjectFeed } from './object-feed.ts';
import type { Revisions } from './revisions.ts';
import type { SessionState } from './session-state.ts';
import { useIsSeen } from './use-is-seen.ts';

/**
 * The data sources that the pages share: requests, the feeds of applications and of sets, and revisions. Made
 * once, in main.tsx.
 */
export type Live = {
  readonly send: Send;
  readonly session: SessionState;
  readonly applications: ObjectFeed<Application>;
  readonly sets: ObjectFeed<ApplicationSet>;
  readonly revisions: Revisions;
};

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

/** Whether the session ended, and how it goes on once the user has signed in again. */
export function useSessionEnd(): { readonly hasEnded: boolean; readonly restore: () => void } {
  const { session, applications, sets } = useLive();
  const hasEnded = useSyncExternalStore(session.subscribe, session.hasEnded);
  const restore = () => {
    session.restore();
    applications.wake();
    sets.wake();
  };
  return { hasEnded, restore };
}

/** The applications and the state of the connection. */
export function useApplications(): FeedState<Application> {
  const { applications } = useLive();
  return useSyncExternalStore(applications.subscribe, applications.snapshot);
}

/** The ApplicationSets and the state of their connection. */
export function useApplicationSets(): FeedState<ApplicationSet> {
  const { sets } = useLive();
  return useSyncExternalStore(sets.subscribe, sets.snapshot);
}

/** The freshness of a page: that of the feed which lost its connection, if one did. */
export function useConnection(): FeedState<unknown> {
  const [apps, sets] = [useApplications(), useApplicationSets()];
  return apps.connection.state !== 'lost' && sets.connection.state === 'lost' ? sets : apps;
}

/**
 * Watches as long as a page that needs it is open, and reconnects at once when the network is back. A hidden tab
 * follows no sets: a browser opens six connections to a server, and all its tabs share them.
 */
export function useListening(): void {
  const { applications, sets } = useLive();
  const isSeen = useIsSeen();
  useEffect(() => listen(applications), [applications]);
  useEffect(() => (isSeen ? listen(sets) : undefined), [sets, isSeen]);
}

/** Runs the feed until the returned function is called. */
function listen(feed: Pick<ObjectFeed<Application>, 'run' | 'wake'>): () => void {
  const stop = new AbortController();
  const wake = () => feed.wake();
  feed.run(stop.signal).catch(() => {}); // never rejects: errors are part of its state
  addEventListener('online', wake, { signal: stop.signal });
  addEventListener('focus', wake, { signal: stop.signal });
  return () => stop.abort();
}
