import './changes.css';
import { Link } from '../kit/link.tsx';
import type { DiffMode } from '../shape/address.ts';
import { type Change, type FieldChange, yamlOf } from '../shape/changes.ts';
import { diffLines } from '../shape/line-diff.ts';
import { ago, fullTime } from '../shape/time.ts';
import { DiffLines } from './diff-lines.tsx';

const words = { create: 'Create', change: 'Change', prune: 'Prune', keep: 'Keep', delete: 'Delete' };

/** The effect of a sync, as a word with its own sign. */
export function DeedLabel({ deed }: { deed: Change['deed'] }) {
  return <span className={`deed ${deed}`}>{words[deed]}</span>;
}

/** One resource and how it differs. */
export function ChangeCard({
  change,
  mode,
  now,
  to,
}: {
  change: Change;
  mode: DiffMode;
  now: number;
  to?: string;
}) {
  const title = (
    <>
      <b>{change.name}</b> <span className="faint">{change.kind}</span>
    </>
  );
  return (
    <article className="change" id={change.key}>
      <header>
        <DeedLabel deed={change.deed} />
        {to ? (
          <Link to={to} className="cut">
            {title}
          </Link>
        ) : (
          <span className="cut">{title}</span>
        )}
        <small className="cut">{change.namespace}</small>
        {change.deed === 'keep' && <small>no longer in Git, kept by Prune=false</small>}
        {change.isMasked && (
          <small className="masked">values are masked: another length is another value</small>
        )}
      </header>
      <ChangeBody change={change} mode={mode} now={now} />
    </article>
  );
}

function ChangeBody({ change, mode, now }: { change: Change; mode: DiffMode; now: number }) {
  if (change.deed === 'keep') return null;
  if (mode === 'fields' && change.deed === 'change' && change.fields.length > 0) {
    return <FieldTable fields={change.fields} now={now} />;
  }
  const lines = diffLines(yamlOf(change.before), yamlOf(change.after));
  return <DiffLines lines={lines} mode={mode === 'split' ? 'split' : 'inline'} />;
}

function FieldTable({ fields, now }: { fields: readonly FieldChange[]; now: number }) {
  return (
    <table className="fields">
      <thead>
        <tr>
          <th>Field</th>
          <th>Live</th>
          <th>Target</th>
          <th>Written last by</th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.path}>
            <td>
              <code>{field.path}</code>
            </td>
            <td data-side="live">
              <Value text={field.live} variant="gone" />
            </td>
            <td data-side="target">
              <Value text={field.target} variant="come" />
            </td>
            <td className="writer">
              {field.writer ?? 'unknown'}
              {field.writtenAt !== undefined && (
                <small title={fullTime(field.writtenAt)}>{ago(field.writtenAt, now)}</small>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ text, variant }: { text: string | undefined; variant: 'gone' | 'come' }) {
  if (text === undefined) return <span className="faint">not set</span>;
  return <code className={`value ${variant}`}>{text}</code>;
}
