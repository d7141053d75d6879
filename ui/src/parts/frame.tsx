import './frame.css';
import { type ReactNode, useEffect, useState } from 'react';
import { useApplications, useConnection } from '../data/live.tsx';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { Link } from '../kit/link.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { applicationsPath } from '../shape/address.ts';
import { tabHealth } from '../shape/fleet.ts';
import { favicon } from '../shape/mark-shapes.ts';
import { Banner } from './banner.tsx';
import { LiveMark } from './live-mark.tsx';
import { Palette, type PaletteChoice } from './palette.tsx';
import { Rail } from './rail.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import { UserMenu } from './user-menu.tsx';

type Crumb = { label: string; to?: string };

type FrameProps = {
  title: string;
  crumbs: readonly Crumb[];
  /** The choices that this page adds to the palette. */
  choices?: () => readonly PaletteChoice[];
  children: ReactNode;
};

const nothing = (): readonly PaletteChoice[] => [];

/** The frame around every page: breadcrumbs, connection state, user and navigation. */
export function Frame({ title, crumbs, choices = nothing, children }: FrameProps) {
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  const { connection } = useConnection();
  useTabAppearance(title);
  useHotkeys({
    'Ctrl+k': () => setOpen('palette'),
    '?': () => setOpen('shortcuts'),
  });
  const close = () => setOpen(undefined);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="topbar">
        <Link to={applicationsPath} className="brand">
          <Logo />
          <span>Fairlead</span>
        </Link>
        <Crumbs crumbs={crumbs} />
        <LiveMark />
        <button
          type="button"
          className="finder"
          aria-label="Search or jump to…"
          onClick={() => setOpen('palette')}
        >
          <Icon name="search" />
          <span>Search or jump to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <ThemeSwitch />
        <Button
          variant="quiet"
          icon="keyboard"
          aria-label="Keyboard shortcuts"
          hint="Keyboard shortcuts  ?"
          className="keys"
          onClick={() => setOpen('shortcuts')}
        />
        <UserMenu />
      </header>
      <Rail />
      <main
        className={connection.state === 'lost' ? 'main stale' : 'main'}
        id="main"
        tabIndex={-1}
        data-scroller
      >
        <StaleBanner />
        <Banner at="top" />
        {children}
        <Banner at="bottom" />
      </main>
      <SignInAgain />
      {open === 'palette' && <Palette choices={choices()} onClose={close} />}
      {open === 'shortcuts' && <Shortcuts onClose={close} />}
    </div>
  );
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav className="crumbs" aria-label="Where you are">
      {crumbs.map(({ label, to }) =>
        to ? (
          <Link key={label} to={to}>
            {label}
          </Link>
        ) : (
          <span key={label} aria-current="page" className="cut">
            {label}
          </span>
        ),
      )}
    </nav>
  );
}

/** A ring and the rope that runs through it. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d="M10 4.25a5.75 5.75 0 1 1 0 11.5 5.75 5.75 0 0 1 0-11.5z" className="ring" />
      <path d={rope} className="rope-gap" />
      <path d={rope} className="rope" />
    </svg>
  );
}

const rope = 'M1 14.75C5.25 14.75 7 12.5 10 10s4.75-4.75 9-4.75';

/** The browser's tab shows the page's title, and its favicon the worst state. */
function useTabAppearance(title: string): void {
  const { items: apps } = useApplications();
  const worst = tabHealth(apps ?? []);
  useEffect(() => {
    document.title = `${title} · Fairlead`;
  }, [title]);
  useEffect(() => {
    document.querySelector('link[rel="icon"]')?.setAttribute('href', favicon(worst));
  }, [worst]);
}
