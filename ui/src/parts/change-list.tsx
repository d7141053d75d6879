import './changes.css';
import { useState } from 'react';
import type { Change } from '../shape/changes.ts';
import { ChangeCard } from './change-card.tsx';

const most = 20; // each is a difference of its own to compute

/** Changes one below the other; of many, the rest is drawn on request. */
export function ChangeList({ changes, now }: { changes: readonly Change[]; now: number }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? changes : changes.slice(0, most);
  return (
    <>
      {shown.map((change) => (
        <ChangeCard key={change.key} change={change} mode="inline" now={now} />
      ))}
      {shown.length < changes.length && (
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show the other {changes.length - shown.length}
        </button>
      )}
    </>
  );
}
