import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon, type IconName } from './icon.tsx';

export type MenuItem = {
  label: string;
  note?: string;
  icon?: IconName;
  /** Present: it cannot be chosen, and shows this reason instead of its note. */
  why?: string | undefined;
  onChoose(): void;
};

/** A button that unfolds a list of things to do. Arrows walk, Escape closes, the focus goes back to the button. */
export function Menu({
  label,
  items,
  variant = 'plain',
  children,
}: {
  label: string;
  items: readonly MenuItem[];
  variant?: 'plain' | 'quiet';
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  useClosing(root, isOpen, () => setOpen(false));
  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div className="menu" ref={root}>
      <button
        type="button"
        className={`button ${variant}`}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div
          className="menu-list"
          role="menu"
          id={id}
          tabIndex={-1}
          onKeyDown={(event) => walk(event, close)}
        >
          {items.map(({ label: text, note, icon, why, onChoose }, at) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              className="menu-item"
              aria-disabled={why ? true : undefined}
              ref={at === 0 ? (first) => first?.focus() : undefined}
              onClick={() => {
                if (why) return;
                close();
                onChoose();
              }}
            >
              {icon && <Icon name={icon} />}
              <span>
                {text}
                {(why ?? note) && <small>{why ?? note}</small>}
              </span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function useClosing(root: { current: HTMLElement | null }, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) close();
    };
    addEventListener('pointerdown', outside);
    addEventListener('focusin', outside);
    return () => {
      removeEventListener('pointerdown', outside);
      removeEventListener('focusin', outside);
    };
  });
}

function walk(event: KeyboardEvent<HTMLDivElement>, close: () => void): void {
  if (event.key === 'Escape') {
    event.stopPropagation();
    close();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}
