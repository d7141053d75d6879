import { useConnection, useLive } from '../data/live.tsx';
import { Button } from '../kit/button.tsx';
import { Icon } from '../kit/icon.tsx';
import { useNow } from '../kit/use-now.ts';
import { staleWords } from '../shape/stale.ts';

/** While the connection is lost and old data is shown: since when it is old, and a way to try again at once. */
export function StaleBanner() {
  const { connection, error, items } = useConnection();
  const isLost = connection.state === 'lost' && items !== undefined; // without data the page itself says so
  const now = useNow(isLost ? 1000 : 60_000);
  const { applications, sets } = useLive();
  const words = isLost ? staleWords({ since: connection.since, error }, now) : '';
  if (!words) return null;
  const wake = () => {
    applications.wake();
    sets.wake();
  };
  return (
    <aside className="banner stale-banner" aria-label="Stale data">
      <Icon name="attention" />
      <span>{words}</span>
      <Button className="small" onClick={wake}>
        Try now
      </Button>
    </aside>
  );
}
