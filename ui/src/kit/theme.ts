import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const order: readonly Theme[] = ['system', 'light', 'dark'];
const key = 'theme'; // public/theme.js reads it before the first paint

/** The current theme and a step to the next one: the system's, light, dark. The browser stores the choice. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(remembered);
  const next = () => {
    const following = order[(order.indexOf(theme) + 1) % order.length] ?? 'system';
    wear(following);
    setTheme(following);
  };
  return [theme, next];
}

function remembered(): Theme {
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
