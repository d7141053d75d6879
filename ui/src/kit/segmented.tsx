import { Link } from './link.tsx';

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
  return (
    <nav className="segmented" aria-label={label}>
      {options.map(({ id, label: text, to }) => (
        <Link key={id} to={to} how="replace" aria-current={id === current ? 'true' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
