import { useMemo, useSyncExternalStore } from 'react';

/**
 * The URL is the state: a page reads what it shows from here and changes it by going somewhere. The browser's
 * history is the only store; these functions make React listen to it.
 */
const listeners = new Set<() => void>();

export type How = 'push' | 'replace';

/** The path that the whole site stands below, without a final slash: the server writes it into the page. */
const basePath = (): string => {
  known ??= (document.documentElement.dataset.base ?? '').replace(/\/$/, '');
  return known;
};
let known: string | undefined;

/** The address of a path of this site, or of its API, as the browser needs it. */
export const addressOf = (path: string): string => basePath() + path;

/** Navigates to an address of this site. `replace` for changes that the back button should skip. */
export function navigate(to: string, how: How = 'push'): void {
  if (to === here()) return;
  if (how === 'push') history.pushState(null, '', addressOf(to));
  else history.replaceState(null, '', addressOf(to));
  for (const listener of listeners) listener();
}

/** The current path and query. */
export const here = (): string => location.pathname.slice(basePath().length) + location.search;

export type Address = { readonly path: string; readonly query: URLSearchParams };

export function useAddress(): Address {
  const address = useSyncExternalStore(subscribe, here);
  return useMemo(() => {
    const { pathname, searchParams } = new URL(address, location.origin);
    return { path: pathname, query: searchParams };
  }, [address]);
}

export type QueryChanges = Readonly<Record<string, string | undefined>>;

/** The present address with some parameters changed; an undefined or empty one is removed. */
export function withQuery(changes: QueryChanges, { path, query }: Address): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  // commas and slashes are legal in a query, and a link is read by people
  const text = next.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text ? `${path}?${text}` : path;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}
