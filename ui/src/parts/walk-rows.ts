import { type MouseEvent, useEffect } from 'react';
import { useHotkeys } from '../kit/use-hotkeys.ts';

/** A click anywhere in a row is a click on its name, unless the user is selecting text. */
export function openRow({ target }: MouseEvent<HTMLElement>): void {
  if (
    !(target instanceof HTMLElement) ||
    target.closest('a, button, input, label') ||
    getSelection()?.toString()
  )
    return;
  target.closest('tr')?.querySelector<HTMLAnchorElement>('a[data-open]')?.click();
}

/** j and k move the focus from row to row; it is the cursor. A row's link has `data-open`. */
export function useWalking(body: { current: HTMLElement | null }): void {
  const walk = (step: number) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('a[data-open]') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const next = at < 0 ? links[0] : links[at + step];
    next?.focus({ preventScroll: true });
    next?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  };
  const [down, up] = [() => walk(1), () => walk(-1)];
  useHotkeys({ j: down, k: up });
  // the arrows scroll the page, unless the cursor is in the list
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !document.activeElement?.matches('a[data-open]')) return;
      event.preventDefault();
      walk(step);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}
