import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Link } from './link.tsx';
import { useCurrentInView } from './use-current-in-view.ts';

export type Tab = { id: string; label: string; count?: number | undefined; to: string };

/** Tabs are addresses: each is a link, and the arrows walk along them. */
export function Tabs({
  label,
  tabs,
  current,
  size = 'wide',
}: {
  label: string;
  tabs: readonly Tab[];
  current: string;
  size?: 'wide' | 'small';
}) {
  const row = useRef<HTMLDivElement>(null);
  useCurrentInView(row, current);
  return (
    <div ref={row} role="tablist" aria-label={label} className={`tabs ${size}`}>
      {tabs.map(({ id, label: text, count, to }) => (
        <Link
          key={id}
          to={to}
          how="replace"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === current}
          tabIndex={id === current ? 0 : -1}
          onKeyDown={walk}
          className="tab"
        >
          {text}
          {count ? <span className="count">{count}</span> : null}
        </Link>
      ))}
    </div>
  );
}

export function TabPanel({ id, children }: { id: string; children: ReactNode }) {
  return (
    <section role="tabpanel" aria-labelledby={`tab-${id}`} className="tab-panel">
      {children}
    </section>
  );
}

function walk(event: KeyboardEvent<HTMLAnchorElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const tabs = [...(event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])];
  const next = tabs[(tabs.indexOf(event.currentTarget) + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}
