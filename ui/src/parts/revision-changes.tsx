import './changes.css';
import { useState } from 'react';
import { type AppRef, useManifestsAt } from '../data/use-application.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { revisionChanges } from '../shape/revision-diff.ts';
import { counted } from '../shape/span.ts';
import { ChangeCard } from './change-card.tsx';

/** What differs between the manifests of two revisions, resource by resource. */
export function RevisionChanges({
  place,
  from,
  to,
  now,
}: {
  place: AppRef;
  /** Absent: the target revision. */
  from?: string | undefined;
  to: string;
  now: number;
}) {
  const [before, after] = [useManifestsAt(place, from), useManifestsAt(place, to)];
  const [isWhole, setWhole] = useState(false);
  const error = before.error ?? after.error;
  if (error) return <Problem title="The difference cannot be shown" message={error.message} />;
  if (!before.data || !after.data) return <Skeleton label="Rendering both revisions" rows={4} />;
  const changes = revisionChanges(before.data, after.data);
  if (changes.length === 0) return <p className="none-left">Both revisions render the same manifests.</p>;
  const shown = isWhole ? changes : changes.slice(0, 20);
  return (
    <div className="changes">
      <p className="faint">{counted(changes.length, 'resource')} would be different.</p>
      {shown.map((change) => (
        <ChangeCard key={change.key} change={change} mode="inline" now={now} />
      ))}
      {shown.length < changes.length && (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show the other {changes.length - shown.length}
        </button>
      )}
    </div>
  );
}
