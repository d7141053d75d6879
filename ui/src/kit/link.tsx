import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { addressOf, type How, navigate } from './location.ts';

export type LinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { to: string; how?: How };

/** A link inside the site. Modified clicks stay the browser's own: a new tab is a new tab. */
export function Link({ to, how = 'push', onClick, ...rest }: LinkProps) {
  const go = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || !isPlain(event)) return;
    event.preventDefault();
    navigate(to, how);
  };
  return <a {...rest} href={addressOf(to)} onClick={go} />;
}

/** A plain click of the main button. */
function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
