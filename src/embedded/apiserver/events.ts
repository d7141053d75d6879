import type { BackgroundTasks } from './background-tasks.ts';
import type { Core } from './core.ts';
import type { Item } from './item.ts';
import type { Stored } from './stored.ts';

const collectionId = '/events';
const sweepEvery = 60 * 1000;

/** How long Events are kept, and how many of them: less than in a real API server, to bound this process's memory. */
export type EventLimits = {
  readonly lifetimeMs: number;
  readonly count: number;
  /** Bytes of their texts. */
  readonly bytes: number;
};

/** Contract embedded-cluster 3.20: an hour. 2,000 of the usual size take 6 MB of memory. */
const defaults: EventLimits = { lifetimeMs: 60 * 60 * 1000, count: 2000, bytes: 4 * 1024 * 1024 };

/**
 * Deletes Events an hour after they were last seen, and before that the ones seen longest ago when there are too
 * many. It needs no timer: each new Event triggers the check, for old ones at most once a minute of the cluster's
 * time.
 */
export function startEventExpiry(
  core: Core,
  tasks: BackgroundTasks,
  limits: Partial<EventLimits> = {},
): void {
  const most = { ...defaults, ...limits };
  const collection = core.state.collection(collectionId);
  let swept = 0;
  let bytes = bytesOf(collection.list());
  core.state.onCommit(({ collection: { id }, next, previous }) => {
    if (id !== collectionId) return;
    bytes += (next?.bytes ?? 0) - (previous?.bytes ?? 0);
    if (!next) return;
    if (collection.size > most.count || bytes > most.bytes) tasks.add('evict events', evict);
    const now = core.clock.now().getTime();
    if (previous || now - swept < sweepEvery) return;
    swept = now;
    tasks.add('expire events', () => expire(now - most.lifetimeMs));
  });

  function expire(before: number): void {
    for (const { key, item } of collection.list())
      if (lastSeen(item) < before) core.state.remove(collection, key);
  }

  /** An eighth is freed at once: Events are deleted in bulk, not one for each new one. */
  function evict(): void {
    const [count, size] = [(most.count / 8) * 7, (most.bytes / 8) * 7];
    const oldestFirst = collection
      .list()
      .map(({ key, item }) => ({ key, seen: lastSeen(item) }))
      .sort((a, b) => a.seen - b.seen);
    for (const { key } of oldestFirst) {
      if (collection.size <= count && bytes <= size) return;
      core.state.remove(collection, key);
    }
  }
}

const bytesOf = (items: readonly Stored[]): number => items.reduce((sum, { bytes }) => sum + bytes, 0);

/** A time that cannot be parsed is ignored. */
function lastSeen(event: Item): number {
  const times = [event.metadata.creationTimestamp, event.lastTimestamp, event.eventTime];
  return Math.max(...times.map((time) => (typeof time === 'string' ? Date.parse(time) || 0 : 0)));
}
