import type { Core } from '../core.ts';
import type { ObjectTable } from '../object-table.ts';
import type { ObjectFilter } from '../select.ts';
import { expired } from '../status.ts';
import type { Stored } from '../stored.ts';
import type { LogEvent, WatchLog } from '../watch-log.ts';

/** One event as a watcher with these selectors sees it. */
export type Seen = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: Stored };

export type Follow = {
  readonly shelf: ObjectTable;
  readonly namespace: string;
  readonly match: ObjectFilter | undefined;
  readonly signal: AbortSignal;
  /** After which write to begin; undefined: with what there is. */
  readonly since: number | undefined;
  /** Called when events that were not read yet are dropped from the history. */
  readonly onLost?: () => void;
};

/** `initial`: what there was at the beginning. `rv`: how far the stream has come. */
export type WatchBatch = { readonly events: readonly Seen[]; readonly initial: boolean; readonly rv: number };

/**
 * What happens from now on (from the moment of this call, whenever reading begins), in batches, until the signal
 * aborts or the cluster closes; an empty batch only says that somebody nudged. Reading throws Expired when the
 * beginning, or the place a slow reader has reached, is forgotten.
 */
export function follow(
  core: Core,
  what: Follow,
  onReady?: (nudge: () => void) => void,
): AsyncGenerator<WatchBatch> {
  const start = what.since ?? core.state.rv;
  const initial = what.since === undefined ? everything(what) : undefined;
  return run(core, what, { start, initial, cursor: what.shelf.log.cursorAfter(start), onReady });
}

type Beginning = {
  readonly start: number;
  readonly initial: readonly Seen[] | undefined;
  readonly cursor: number | undefined;
  readonly onReady: ((nudge: () => void) => void) | undefined;
};

async function* run(core: Core, what: Follow, beginning: Beginning): AsyncGenerator<WatchBatch> {
  const { start, initial } = beginning;
  const { log } = what.shelf;
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

function everything({ shelf, namespace, match }: Follow): Seen[] {
  const items = shelf.list(namespace).filter((stored) => !match || match(stored.item));
  return items.map((stored) => ({ type: 'ADDED', stored }));
}

/** compat 3.3: an object that starts or stops matching appears or disappears for this watcher. */
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

/** Sleeping until there is news, a nudge, or an end. */
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
