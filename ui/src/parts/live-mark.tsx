import { useConnection } from '../data/live.tsx';
import { useNow } from '../kit/use-now.ts';
import { clockTime } from '../shape/time.ts';

/** Freshness, always in sight: live, or lost since when. */
export function LiveMark() {
  const { connection, error } = useConnection();
  const now = useNow(30_000);
  const words = {
    connecting: 'Connecting',
    live: 'Live',
    lost: `Lost since ${clockTime(connection.since, now)}`,
  }[connection.state];
  return (
    <span
      className={`live ${connection.state}`}
      role="status"
      title={error ? `${error}; trying again` : undefined}
    >
      <i aria-hidden="true" />
      {words}
    </span>
  );
}
