import type { KeyboardEvent } from 'react';

/** A text in the fixed-width face with line numbers. Tab indents; Escape and Tab leave, as everywhere. */
export function CodeEditor({
  label,
  value,
  onChange,
  problem,
}: {
  label: string;
  value: string;
  onChange(value: string): void;
  /** What is wrong with the text, read out with it. */
  problem?: string | undefined;
}) {
  const lines = value.split('\n').length;
  return (
    <div className="code-editor">
      <pre aria-hidden="true">{Array.from({ length: lines }, (_, at) => at + 1).join('\n')}</pre>
      <textarea
        aria-label={label}
        aria-invalid={problem ? true : undefined}
        value={value}
        rows={Math.max(12, lines)}
        spellCheck={false}
        wrap="off"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={indent}
      />
    </div>
  );
}

function indent(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
  const { currentTarget: area } = event;
  const line = area.value.slice(0, area.selectionStart).split('\n').at(-1) ?? '';
  const lead = /^\s*(?:- )?/.exec(line)?.[0].replace('-', ' ') ?? '';
  if (!lead) return;
  event.preventDefault();
  document.execCommand('insertText', false, `\n${lead}`); // keeps the browser's undo
}
