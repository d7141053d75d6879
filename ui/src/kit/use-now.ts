import { useEffect, useState } from 'react';
import { realClock } from '#base/std';

/** The time, updated every `ms`: a text such as "2 min ago" stays true without user input. */
export function useNow(ms: number): number {
  const [now, setNow] = useState(() => realClock.now().getTime());
  useEffect(() => {
    const stop = new AbortController();
    const tick = async () => {
      while (!stop.signal.aborted) {
        await realClock.sleep(ms, stop.signal);
        setNow(realClock.now().getTime());
      }
    };
    tick().catch(() => {}); // aborted: the component has gone
    return () => stop.abort();
  }, [ms]);
  return now;
}
