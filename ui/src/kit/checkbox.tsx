import type { ReactNode } from 'react';

/** A checkbox with a line that explains its effect. */
export function Checkbox({
  checked,
  onChange,
  label,
  note,
}: {
  checked: boolean;
  onChange(checked: boolean): void;
  label: ReactNode;
  note?: string;
}) {
  return (
    <label className="checkbox">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {label}
        {note && <small>{note}</small>}
      </span>
    </label>
  );
}
