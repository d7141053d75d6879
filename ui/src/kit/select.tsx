import { type ReactNode, useId } from 'react';

/** A choice of a few; the browser's own, so that it works with a keyboard, a screen reader and a thumb. */
export function Select({
  label,
  value,
  options,
  onChange,
  note,
  children,
}: {
  label: string;
  value: string;
  options: readonly { readonly value: string; readonly label: string }[];
  onChange(value: string): void;
  /** A line below that explains it. */
  note?: ReactNode;
  children?: ReactNode;
}) {
  const id = useId();
  return (
    <>
      <label className="select">
        <span className={children ? undefined : 'unseen'}>{children ?? label}</span>
        <select
          className="input"
          aria-label={label}
          aria-describedby={note ? id : undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </label>
      {note && <small id={id}>{note}</small>}
    </>
  );
}
