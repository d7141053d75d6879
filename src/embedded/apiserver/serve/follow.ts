import type { Core } from '../core.ts';
import type { ObjectTable } from '../object-table.ts';
import type { ObjectFilter } from '../select.ts';
import { expired } from '../status.ts';
import type { Stored } from '../stored.ts';
import type { LogEvent, WatchLog } from '../watch-log.ts';

/** One event as a watch with these selectors receives it. */
export type Seen = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: Stored };

export type Follow = {
  readonly collection: ObjectTable;
  readonly namespace: string;
  readonly match: ObjectFilter | undefined;
  readonly signal: AbortSignal;
  /** The resourceVersion to start after; undefined: with all existing objects. */
  readonly since: number | undefined;
  /** Called when events that were not read yet are dropped from the history. */
  readonly onLost?: () => void;
};

/** `initial`: the objects that existed at the start. `rv`: the version that the stream has reached. */
export type WatchBatch = { readonly events: readonly Seen[]; readonly initial: boolean; readonly rv: number };

/**
 * The events from now on (from the moment of this call, whenever reading starts), in batches, until the signal
 * aborts or the cluster closes; an empty batch only means that the stream was nudged. Reading throws Expired when
 * the start, or the position of a slow reader, is no longer in the history.
 */
export function follow(
  core: Core,
  what: Follow,
  onReady?: (nudge: () => void) => void,
): AsyncGenerator<WatchBatch> {
  const start = what.since ?? core.state.rv;
  const initial = what.since === undefined ? everything(what) : undefined;
  return run(core, what, { start, initial, cursor: what.collection.log.cursorAfter(start), onReady });
}

type Beginning = {
  readonly start: number;
  readonly initial: readonly Seen[] | undefined;
  readonly cursor: number | undefined;
  readonly onReady: ((nudge: () => void) => void) | undefined;
};

async function* run(core: Core, what: Follow, beginning: Beginning): AsyncGenerator<WatchBatch> {
  const { start, initial } = beginning;
  const { log } = what.collection;
  const pause = new Pause([what.signal, core.closing]);
  beginning.onReady?.(() => pause.wake());
  const reader = { cursor: beginning.cursor ?? 0, lost: () => what.onLost?.() };
  const detach = log.attach(reader);
  try {
    await core.state.durable();
    if (initial) yield { events: initial, initial: true, rv: start };
    let cursor = beginning.cursor;
    while (!pause.over) {
      const news: readonly LogEvent[] = newsFrom(log, cursor, start);
      cursor = (cursor ?? 0) + news.length;
      reader.cursor = cursor;
      const events = news.flatMap((event) => (event.rv > start ? seenBy(event, what) : []));
      yield { events, initial: false, rv: news.at(-1)?.rv ?? 0 };
      if (log.isAtEnd(cursor)) await pause.until(log);
    }
  } finally {
    detach();
    pause.end();
  }
}

function newsFrom(log: WatchLog, cursor: number | undefined, start: number): readonly LogEvent[] {
  const news = cursor === undefined ? undefined : log.read(cursor);
  if (news) return news;
  throw expired(`too old resource version: ${start} (${log.oldest})`);
}

function everything({ collection, namespace, match }: Follow): Seen[] {
  const items = collection.list(namespace).filter((stored) => !match || match(stored.item));
  return items.map((stored) => ({ type: 'ADDED', stored }));
}

/** compat cluster 3.3: an object that starts or stops matching is added or deleted for this watch. */
function seenBy(event: LogEvent, { namespace, match }: Follow): Seen[] {
  const { stored, previous, type } = event;
  if (namespace !== '' && !stored.key.startsWith(`${namespace}/`)) return [];
  if (!match) return [event];
  const did = previous !== undefined && match(previous.item);
  const does = type !== 'DELETED' && match(stored.item);
  if (does) return [{ type: did ? 'MODIFIED' : 'ADDED', stored }];
  if (!did) return [];
  return [{ type: 'DELETED', stored: type === 'DELETED' ? stored : previous.at(stored.rv) }];
}

/** Sleeps until there is an event, a nudge, or the end. */
class Pause {
  readonly #ends: readonly AbortSignal[];
  wake: () => void = () => {};
  readonly #stop = () => this.wake();

  constructor(ends: readonly AbortSignal[]) {
    this.#ends = ends;
    for (const signal of ends) signal.addEventListener('abort', this.#stop);
  }

  get over(): boolean {
    return this.#ends.some((signal) => signal.aborted);
  }

  async until(log: WatchLog): Promise<void> {
    if (this.over) return;
    await log.wait((resume) => {
      this.wake = resume;
    });
  }

  end(): void {
    for (const signal of this.#ends) signal.removeEventListener('abort', this.#stop);
    this.wake();
  }
}
