import type { Chores } from './chores.ts';
import type { Core } from './core.ts';
import type { Item } from './item.ts';

const shelfId = '/events';
const lifetime = 60 * 60 * 1000;
const sweepEvery = 60 * 1000;

/**
 * Events live for an hour (contract 3.20). Nothing wakes up to look: a new event is the occasion to take old ones
 * away, at most once a minute of the cluster's time.
 */
export function startEventExpiry(core: Core, chores: Chores): void {
  let swept = 0;
  core.state.onCommit(({ shelf, next, previous }) => {
    if (shelf.id !== shelfId || !next || previous) return;
    const now = core.clock.now().getTime();
    if (now - swept < sweepEvery) return;
    swept = now;
    chores.add('expire events', () => sweep(core, now - lifetime));
  });
}

function sweep(core: Core, before: number): void {
  const shelf = core.state.shelf(shelfId);
  for (const { key, item } of shelf.list()) if (lastSeen(item) < before) core.state.remove(shelf, key);
}

function lastSeen(event: Item): number {
  const times = [event.metadata.creationTimestamp, event.lastTimestamp, event.eventTime];
  return Math.max(...times.map((time) => (typeof time === 'string' ? Date.parse(time) : 0)));
}
