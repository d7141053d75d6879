import type { ConnectionState } from '#serve/api';
import { ago } from '../shape/time.ts';
import { HealthMark } from './mark.tsx';

const styles = {
  Successful: { health: 'Healthy', word: 'Connected' },
  Failed: { health: 'Degraded', word: 'Failed' },
  Unknown: { health: 'Unknown', word: 'Not tried yet' },
} as const;

/** Whether something was reachable when it was last tried: mark, word, and why not. */
export function ConnectionMark({ state, now }: { state: ConnectionState | undefined; now: number }) {
  const { health, word } = styles[state?.status ?? 'Unknown'];
  const tried = state?.attemptedAt ? Date.parse(state.attemptedAt) : Number.NaN;
  return (
    <span className="connection">
      <span
        className={`standing tone-${health === 'Healthy' ? 'good' : health === 'Degraded' ? 'bad' : 'dim'}`}
      >
        <HealthMark status={health} size={14} /> {word}
      </span>
      {!Number.isNaN(tried) && <small> {ago(tried, now)}</small>}
      {state?.status === 'Failed' && <small className="tone-bad">{state.message}</small>}
    </span>
  );
}
