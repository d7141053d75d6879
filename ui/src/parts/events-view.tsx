import './sets.css';
import type { KubeObject } from '#base/model';
import type { Loaded } from '../data/use-load.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { eventLinesOf } from '../shape/events.ts';
import { ago, fullTime } from '../shape/time.ts';

/** Kubernetes Events, newest first. */
export function EventsView({
  events: { data, error },
  now,
  of,
}: {
  events: Loaded<readonly KubeObject[]>;
  now: number;
  /** The kind of thing that they are about. */
  of: string;
}) {
  if (!data && error) return <Problem title="The events cannot be shown" message={error.message} />;
  if (!data) return <Skeleton label="Loading the events" rows={4} />;
  const lines = eventLinesOf(data);
  if (lines.length === 0) return <p className="none-left">The cluster keeps no events of this {of}.</p>;
  return (
    <ol className="events">
      {lines.map(({ key, at, reason, message, count, isWarning }) => (
        <li key={key}>
          <span className="faint" title={at === undefined ? undefined : fullTime(at)}>
            {at === undefined ? '–' : ago(at, now)}
          </span>
          <b className={isWarning ? 'tone-bad' : undefined}>{isWarning ? `Warning: ${reason}` : reason}</b>
          <span>
            {message}
            {count > 1 && <span className="count">{count} times</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
