import type { Ctx } from '#base/std';
import type { OutboxEntry } from './outbox.ts';

type Held = { entries: OutboxEntry[]; since: number };

/** A pass over each object comes soon after a start, unless the object was deleted or belongs to another controller. */
const longestMs = 60_000;

/**
 * Messages about what may have happened or not: the process ended, or the cluster did not answer, while the writes of a pass
 * were made. The next pass over the object decides. If it plans the same event, that had not happened, and the message is that
 * of this pass; if not, it had.
 */
export class UncertainMessages {
  /** By uid of their object. */
  readonly #held = new Map<string, Held>();

  hold(entries: readonly OutboxEntry[], now: number): void {
    for (const entry of entries) {
      const held = this.#held.get(entry.app.uid) ?? { entries: [], since: now };
      held.since = now;
      if (!held.entries.some(({ id }) => id === entry.id)) held.entries.push(entry);
      this.#held.set(entry.app.uid, held);
    }
  }

  has(uid: string): boolean {
    return this.#held.has(uid);
  }

  /** The one that announces the same. */
  find(entry: OutboxEntry): OutboxEntry | undefined {
    const wanted = contentOf(entry);
    return this.#held.get(entry.app.uid)?.entries.find((one) => contentOf(one) === wanted);
  }

  drop({ id, app }: OutboxEntry): void {
    const held = this.#held.get(app.uid);
    if (held) held.entries = held.entries.filter((one) => one.id !== id);
  }

  /** A pass over the object has made its writes: none of its messages is uncertain any more. */
  release(uid: string): readonly OutboxEntry[] {
    const { entries = [] } = this.#held.get(uid) ?? {};
    this.#held.delete(uid);
    return entries;
  }

  /** Those that no pass has decided about: a message may come twice, none is lost. */
  releaseOld(now: number): readonly OutboxEntry[] {
    const old = [...this.#held].filter(([, { since }]) => now - since >= longestMs);
    return old.flatMap(([uid]) => this.release(uid));
  }

  /** Hands over what was held for too long, until `ctx` stops. */
  async run(ctx: Ctx, admit: (entries: readonly OutboxEntry[]) => void): Promise<void> {
    while (!ctx.signal.aborted) {
      await ctx.clock.sleep(longestMs, ctx.signal).catch(() => {});
      if (!ctx.signal.aborted) admit(this.releaseOld(ctx.clock.now().getTime()));
    }
  }
}

const contentOf = ({ due, event }: OutboxEntry): string =>
  JSON.stringify([due.namespace, due.trigger, due.destination, event?.reason, event?.message]);
