import './changes.css';
import './sets.css';
import { useState } from 'react';
import type { ApplicationSetPreview } from '#serve/api';
import type { Loaded } from '../data/use-load.ts';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { type Change, yamlOf } from '../shape/changes.ts';
import { diffLines } from '../shape/line-diff.ts';
import type { Notice } from '../shape/notices.ts';
import { type PreviewGroup, previewGroups, previewSentence } from '../shape/set-preview.ts';
import { DeedLabel } from './change-card.tsx';
import { DiffLines } from './diff-lines.tsx';
import { SetParameters } from './generators-view.tsx';
import { Notices } from './notices.tsx';

const many = 100; // rows of a group; deletions are never folded

/** What the set would do now: creations, updates with their differences, deletions, and what blocks them. */
export function PreviewView({ preview }: { preview: Loaded<ApplicationSetPreview> }) {
  const { data, error } = preview;
  if (!data && error) return <Problem title="The set cannot be previewed" message={error.message} />;
  if (!data) return <Skeleton label="Evaluating the set" rows={6} />;
  const groups = previewGroups(data);
  return (
    <div className="changes">
      <div role="status">
        <h2>{previewSentence(data)}</h2>
      </div>
      <Notices notices={noticesIn(data)} />
      {groups.map((group) => (
        <Group key={group.action} group={group} />
      ))}
      {groups.length === 0 && data.parameters.length > 0 && <SetParameters preview={preview} />}
    </div>
  );
}

function noticesIn({ blocked, invalid, warnings }: ApplicationSetPreview): Notice[] {
  return [
    ...(blocked === undefined ? [] : [{ title: 'Blocked', message: blocked, tone: 'bad' } as const]),
    ...invalid.map(({ application, message }): Notice => ({ title: application, message, tone: 'bad' })),
    ...warnings.map((message): Notice => ({ title: 'Warning', message, tone: 'warn' })),
  ];
}

const titles = { create: 'Would be created', update: 'Would be updated', delete: 'Would be deleted' };

function Group({ group: { action, changes } }: { group: PreviewGroup }) {
  const [isWhole, setWhole] = useState(action === 'delete' || changes.length <= many);
  const shown = isWhole ? changes : changes.slice(0, many);
  return (
    <section className={`preview-group ${action}`} aria-label={titles[action]}>
      <h3>
        {titles[action]} <span className="count">{changes.length}</span>
      </h3>
      {shown.map((change) => (
        <Row key={change.key} change={change} startsOpen={action === 'update' && changes.length <= 5} />
      ))}
      {!isWhole && <Button onClick={() => setWhole(true)}>Show all {changes.length}</Button>}
    </section>
  );
}

function Row({ change, startsOpen }: { change: Change; startsOpen: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <details className="change" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <DeedLabel deed={change.deed} />
        <b className="cut">{change.name}</b>
        <small className="cut">{change.namespace}</small>
        <Icon name="right" />
      </summary>
      {isOpen && <DiffLines lines={diffLines(yamlOf(change.before), yamlOf(change.after))} mode="inline" />}
    </details>
  );
}
