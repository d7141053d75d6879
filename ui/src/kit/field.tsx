import type { ReactNode } from 'react';

/** A labelled input of a form, with a line that explains it. */
export function Field({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label className="field">
      <span>{label}</span>
      {children}
      {note && <small>{note}</small>}
    </label>
  );
}

export function TextField({
  label,
  note,
  value,
  onChange,
  ...rest
}: {
  label: string;
  note?: ReactNode;
  value: string;
  onChange(value: string): void;
  type?: string;
  placeholder?: string;
  autoComplete?: string;
}) {
  return (
    <Field label={label} note={note}>
      <input className="input" value={value} onChange={(event) => onChange(event.target.value)} {...rest} />
    </Field>
  );
}

export function TextArea({
  label,
  note,
  value,
  onChange,
  rows = 6,
}: {
  label: string;
  note?: ReactNode;
  value: string;
  onChange(value: string): void;
  rows?: number;
}) {
  return (
    <Field label={label} note={note}>
      <textarea
        className="input area"
        rows={rows}
        value={value}
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
