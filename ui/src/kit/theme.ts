import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const order: readonly Theme[] = ['system', 'light', 'dark'];
const key = 'theme'; // public/theme.js reads it before the first paint

/** The current theme and a step to the next one: the system's, light, dark. The browser stores the choice. */
export function useTheme(): [Theme, () => void, (theme: Theme) => void] {
  const [theme, setTheme] = useState(cached);
  const choose = (following: Theme) => {
    wear(following);
    setTheme(following);
  };
  const next = () => choose(order[(order.indexOf(theme) + 1) % order.length] ?? 'system');
  return [theme, next, choose];
}

function cached(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

function wear(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(key, theme);
    document.documentElement.dataset.theme = theme;
  }
}
