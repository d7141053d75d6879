import type { Application } from '#base/model';
import type { AppRef } from '../data/use-application.ts';
import { useRevision } from '../data/use-revision.ts';
import { Link } from '../kit/link.tsx';
import { useAddress, withQuery } from '../kit/location.ts';
import type { PastOperation } from '../shape/past-operations.ts';
import { authorOf, shortRevision, subjectOf } from '../shape/revision.ts';
import { clockTime, duration, fullTime } from '../shape/time.ts';
import { FactCell } from './fact-row.tsx';
import { RevisionChanges } from './revision-changes.tsx';

type PickerProps = { past: readonly PastOperation[]; chosen: PastOperation | undefined; now: number };

/** The last operation, and those of the history. */
export function OperationPicker({ past, chosen, now }: PickerProps) {
  const address = useAddress();
  if (past.length === 0) return null;
  return (
    <nav className="operation-picker" aria-label="Operations">
      <Link
        to={withQuery({ op: undefined }, address)}
        how="replace"
        aria-current={chosen ? undefined : 'true'}
      >
        Last operation
      </Link>
      {past.map(({ id, deployedAt, revision }) => (
        <Link
          key={id}
          to={withQuery({ op: String(id), node: undefined }, address)}
          how="replace"
          aria-current={chosen?.id === id ? 'true' : undefined}
        >
          {deployedAt === undefined ? `Sync ${id}` : clockTime(deployedAt, now)}{' '}
          <code>{shortRevision(revision)}</code>
        </Link>
      ))}
    </nav>
  );
}

type PastProps = { app: Application; place: AppRef; operation: PastOperation; now: number };

/** What the history holds of a sync: its commit, its times and who started it, and what differs from the one before. */
export function PastOperationView({ app, place, operation, now }: PastProps) {
  const { revision, before, deployedAt, ms, by } = operation;
  const commit = useRevision(app, revision);
  const began = deployedAt === undefined || ms === undefined ? undefined : deployedAt - ms;
  const time = (at: number | undefined) => (at === undefined ? 'unknown' : fullTime(at));
  const note = commit && [subjectOf(commit), authorOf(commit)].filter(Boolean).join(', ');
  return (
    <>
      <dl className="facts">
        <FactCell fact={{ label: 'Commit', value: shortRevision(revision), ...(note && { note }) }} />
        <FactCell fact={{ label: 'Started by', value: by }} />
        <FactCell fact={{ label: 'Began', value: time(began) }} />
        <FactCell fact={{ label: 'Ended', value: time(deployedAt) }} />
        <FactCell fact={{ label: 'Took', value: ms === undefined ? 'unknown' : duration(ms) }} />
      </dl>
      <p className="timeline-message">
        The status keeps phases, hooks and resources of the last operation only; of this one they are unknown.
      </p>
      <section aria-label="What it changed">
        <h2>Since the sync before it</h2>
        {before && before !== revision ? (
          <RevisionChanges place={place} from={before} to={revision} now={now} />
        ) : (
          <p className="timeline-message">{nothingBefore(operation)}</p>
        )}
      </section>
    </>
  );
}

function nothingBefore({ before, id }: PastOperation): string {
  if (before) return 'It was of the same commit.';
  return id === 0 ? 'It was the first one.' : 'The history does not reach back to the sync before it.';
}
