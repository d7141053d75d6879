import { useSyncExternalStore } from 'react';

/** A filter of the list that the user gave a name. */
export type SavedView = { readonly name: string; readonly query: string };
type Preferences = {
  readonly favourites: readonly string[];
  readonly views: readonly SavedView[];
  /** Of the panel beside a page, in pixels. */
  readonly panelWidth?: number;
};

const key = 'view_preferences'; // compat server §10.1
const nothing: Preferences = { favourites: [], views: [] };
const listeners = new Set<() => void>();
let known: Preferences | undefined;

function read(): Preferences {
  known ??= parsed(localStorage.getItem(key));
  return known;
}

/** What the browser stores is of any age and shape: anything unreadable counts as nothing. */
function parsed(text: string | null): Preferences {
  try {
    const { favourites, views, panelWidth } = JSON.parse(text ?? '{}') as Partial<Preferences>;
    return {
      favourites: Array.isArray(favourites) ? favourites.filter((one) => typeof one === 'string') : [],
      views: Array.isArray(views)
        ? views.filter((one) => typeof one?.name === 'string' && typeof one.query === 'string')
        : [],
      ...(typeof panelWidth === 'number' && { panelWidth }),
    };
  } catch {
    return nothing;
  }
}

function write(next: Preferences): void {
  known = next;
  localStorage.setItem(key, JSON.stringify(next));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The favourites and saved views of this browser. */
export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, read);

export function toggleFavourite(name: string): void {
  const { favourites } = read();
  const others = favourites.filter((one) => one !== name);
  write({ ...read(), favourites: others.length < favourites.length ? others : [...favourites, name] });
}

export function saveView(view: SavedView): void {
  const { views } = read();
  write({ ...read(), views: [...views.filter(({ name }) => name !== view.name), view] });
}

export function removeView(name: string): void {
  const { views } = read();
  write({ ...read(), views: views.filter((one) => one.name !== name) });
}

export const keepPanelWidth = (panelWidth: number): void => write({ ...read(), panelWidth });
