import './changes.css';
import { type AppRef, useManifestsAt } from '../data/use-application.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { revisionChanges } from '../shape/revision-diff.ts';
import { counted } from '../shape/span.ts';
import { ChangeList } from './change-list.tsx';

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
  const error = before.error ?? after.error;
  if (error) return <Problem title="The difference cannot be shown" message={error.message} />;
  if (!before.data || !after.data) return <Skeleton label="Rendering both revisions" rows={4} />;
  const changes = revisionChanges(before.data, after.data);
  if (changes.length === 0) return <p className="none-left">Both revisions render the same manifests.</p>;
  return (
    <div className="changes">
      <p className="faint">{counted(changes.length, 'resource')} would be different.</p>
      <ChangeList changes={changes} now={now} />
    </div>
  );
}
