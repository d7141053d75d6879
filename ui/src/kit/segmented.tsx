import { useRef } from 'react';
import { Link } from './link.tsx';
import { useCurrentInView } from './use-current-in-view.ts';

/** A few views of the same thing; each is an address. */
export function Segmented({
  label,
  options,
  current,
}: {
  label: string;
  options: readonly { id: string; label: string; to: string }[];
  current: string;
}) {
  const row = useRef<HTMLElement>(null);
  useCurrentInView(row, current);
  return (
    <nav ref={row} className="segmented" aria-label={label}>
      {options.map(({ id, label: text, to }) => (
        <Link key={id} to={to} how="replace" aria-current={id === current ? 'true' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
