import { useEffect, useEffectEvent } from 'react';

export type Hotkeys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/**
 * Keys of a page: `j`, `Enter`, `Ctrl+k` (which is also the command key). Plain keys are ignored while the
 * user types, and all of them while a dialog is open: the dialog handles its own.
 */
export function useHotkeys(keys: Hotkeys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
    const name = nameOf(event);
    const action = name && keys[name];
    if (!action || (!name.startsWith('Ctrl+') && isTyping(event.target))) return;
    if (name === 'Enter' && isOwnEnter(event.target)) return;
    event.preventDefault();
    action(event);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey) return undefined;
  return ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type);
  return (
    target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

/** Enter on a link or a button means that link or button. */
const isOwnEnter = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('a, button, summary, [role="treeitem"]') !== null;
