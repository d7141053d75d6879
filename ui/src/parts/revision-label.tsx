import { type Application, parseTime } from '#base/model';
import { useRevision } from '../data/use-revision.ts';
import { authorOf, shortRevision, subjectOf } from '../shape/revision.ts';
import { ago } from '../shape/time.ts';

/** A revision for users: its first characters, its age and its author. */
export function RevisionLabel({
  app,
  revision,
  now,
}: {
  app: Application;
  revision: string | undefined;
  now: number;
}) {
  const commit = useRevision(app, revision, true);
  if (!revision) return <span className="faint">none yet</span>;
  const then = parseTime(commit?.date);
  const age = then === undefined ? '' : ago(then, now);
  const author = commit ? authorOf(commit) : '';
  return (
    <span title={commit ? [subjectOf(commit), author].filter(Boolean).join(', by ') : undefined}>
      <code>{shortRevision(revision)}</code>
      <span className="faint">
        {age && ` ${age}`}
        {author && <span className="revision-author">{age ? `, ${author}` : ` ${author}`}</span>}
      </span>
    </span>
  );
}
