import type { Ctx } from '#base/std';
import { ChangeSignal, sleepUntilAny } from '../../../change-signal.ts';
import { compareTimes, type LogTime } from './log-time.ts';

/** One line of a pod's log. */
export type LogLine = {
  readonly pod: string;
  readonly text: string;
  /** As the cluster wrote it. */
  readonly stamp: string;
  readonly time: LogTime;
};

/** Lines that wait to be sent, for each pod: a fast one does not fill the memory. */
const mostWaiting = 100;
/** compat server §2.8: how long a line waits for an older one of another pod while logs are followed. */
const graceMs = 100;

/** The lines of one pod that were read and not yet taken. */
class LogReader {
  readonly #waiting: { readonly line: LogLine; readonly since: number }[] = [];
  readonly #arrived: ChangeSignal;
  readonly #taken = new ChangeSignal();
  #isOpen = true;

  constructor(arrived: ChangeSignal) {
    this.#arrived = arrived;
  }

  /** Reads until the log ends or `ctx` stops. */
  async run(ctx: Ctx, lines: AsyncIterable<LogLine>): Promise<void> {
    try {
      for await (const line of lines) {
        this.#waiting.push({ line, since: ctx.clock.now().getTime() });
        this.#arrived.fire();
        while (this.#waiting.length >= mostWaiting && !ctx.signal.aborted)
          await sleepUntilAny(ctx, Number.POSITIVE_INFINITY, [this.#taken.next]);
        if (ctx.signal.aborted) return;
      }
    } finally {
      this.#isOpen = false;
      this.#arrived.fire();
    }
  }

  get first() {
    return this.#waiting[0];
  }

  /** Nothing to take, but there may be later. */
  get isSilent(): boolean {
    return this.#isOpen && this.#waiting.length === 0;
  }

  take(): void {
    this.#waiting.shift();
    this.#taken.fire();
  }
}

/**
 * compat server §2.8: the lines of several logs by their time. Logs that end are sorted exactly; a followed one that is
 * silent delays the others by a moment only.
 */
export async function* mergeLogs(
  ctx: Ctx,
  logs: readonly AsyncIterable<LogLine>[],
  { isFollowed }: { readonly isFollowed: boolean },
): AsyncGenerator<LogLine> {
  const arrived = new ChangeSignal();
  const readers = logs.map(() => new LogReader(arrived));
  const running = Promise.all(readers.map((reader, index) => reader.run(ctx, logs[index] ?? none())));
  running.catch(() => {}); // awaited below
  for (;;) {
    const next = arrived.next; // before the readers are looked through, so that no line is missed
    const oldest = oldestOf(readers);
    if (ctx.signal.aborted || (!oldest && !readers.some(({ isSilent }) => isSilent))) break;
    const waitMs = oldest
      ? waitFor(ctx, readers, { since: oldest.since, isFollowed })
      : Number.POSITIVE_INFINITY;
    if (oldest && waitMs <= 0) {
      oldest.reader.take();
      yield oldest.line;
    } else await sleepUntilAny(ctx, waitMs, [next]);
  }
  await running;
}

async function* none(): AsyncGenerator<LogLine> {}

function oldestOf(readers: readonly LogReader[]) {
  const [first, ...rest] = readers.flatMap((reader) => (reader.first ? [{ ...reader.first, reader }] : []));
  if (!first) return undefined;
  return rest.reduce(
    (oldest, one) => (compareTimes(one.line.time, oldest.line.time) < 0 ? one : oldest),
    first,
  );
}

function waitFor(
  { clock }: Ctx,
  readers: readonly LogReader[],
  { since, isFollowed }: { readonly since: number; readonly isFollowed: boolean },
): number {
  if (!readers.some(({ isSilent }) => isSilent)) return 0;
  return isFollowed ? since + graceMs - clock.now().getTime() : Number.POSITIVE_INFINITY;
}
