import { type Clock, type Ctx, FairleadError, joined, Lru, onAbort, realClock } from '#base/std';
import { mayPass } from './retry.ts';

export type HostLimits = {
  /** Concurrent programs that have not run for long. */
  readonly quick: number;
  /** Those of them whose host hung the last time: to start one costs the processors what a good host's costs. */
  readonly suspect: number;
  /** Concurrent programs that have; one more ends the oldest of them. */
  readonly slow: number;
  /** How long a program counts as quick. */
  readonly slowMs: number;
};

type Waiting = { readonly host: string; admit(): void };
type Running = {
  readonly host: string;
  /** Whether the host had hung the last time, when this program was admitted. */
  isSuspect: boolean;
  began: number;
  /** When it last received data; when it began, if it never has. */
  heard: number;
  readonly stop: AbortController;
};

/**
 * A program is two or three processes, and starting one costs as much as all that it does for a small repository; more
 * of them at a time only wait for the processors. Most hosts respond within half a second.
 */
const defaults: HostLimits = { quick: 16, suspect: 2, slow: 64, slowMs: 500 };

/**
 * Limits the programs that list the refs of hosts, or fetch from them, so that hosts which accept a connection and
 * never respond use up neither the machine's processes nor the slots of other hosts. A program that has run for half a
 * second frees its slot; when too many such programs run, one of the host with most of them is ended, the one that has
 * received nothing for longest. The next from the queue is one of a host that answered the last time, then of one
 * that is not known, and among those of the host with the fewest running programs. Hosts that hung the last time have
 * few slots: hundreds of them, ended and retried, would keep the processors busy with starting programs.
 */
export class HostLimit {
  readonly #limits: HostLimits;
  readonly #clock: Clock;
  readonly #queue: Waiting[] = [];
  readonly #quick = new Set<Running>();
  readonly #slow = new Set<Running>();
  /** How the last program of each host ended; a first one that has run for long counts as hung until it ends. */
  readonly #records = new Lru<'answered' | 'hung'>({ capacity: 10_000 });

  /** The network runs in real time, whatever the clock of the callers; a test has its own. */
  constructor(limits: Partial<HostLimits> = {}, clock: Clock = realClock) {
    this.#limits = { ...defaults, ...limits };
    this.#clock = clock;
  }

  /**
   * Runs the work when there is a free slot; the work calls `heard` whenever it has received data. Throws Unavailable
   * when it was ended to free its slot.
   */
  async run<Value>(
    ctx: Ctx,
    host: string,
    work: (ctx: Ctx, heard: () => void) => Promise<Value>,
  ): Promise<Value> {
    const stop = new AbortController();
    const done = new AbortController();
    const now = this.#clock.now().getTime();
    const running: Running = { host, isSuspect: false, began: now, heard: now, stop };
    await this.#admitted(ctx, running);
    this.#clock.sleep(this.#limits.slowMs, done.signal).then(
      () => this.#becomesSlow(running),
      () => {},
    );
    const { signal, release } = joined(ctx.signal, stop.signal);
    try {
      const value = await work({ ...ctx, signal }, () => {
        running.heard = this.#clock.now().getTime();
      });
      this.#records.set(host, 'answered');
      return value;
    } catch (error) {
      // one that was refused quickly has answered; one that the caller cancelled says nothing about the host
      if (!ctx.signal.aborted) this.#records.set(host, this.#quick.has(running) ? 'answered' : 'hung');
      throw error;
    } finally {
      release();
      done.abort();
      this.#slow.delete(running);
      if (this.#quick.delete(running)) this.#admitNext();
    }
  }

  /** The slot is taken at the moment it is granted, so the next caller sees one less. */
  async #admitted(ctx: Ctx, running: Running): Promise<void> {
    ctx.signal.throwIfAborted();
    if (this.#hasSlot(running.host)) return this.#take(running);
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        host: running.host,
        admit: () => {
          forget();
          this.#take(running);
          resolve();
        },
      };
      this.#queue.push(waiting);
      const forget = onAbort(ctx.signal, () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(ctx.signal.reason);
      });
    });
  }

  /** Every program in the queue lacks a slot, so one that has a slot overtakes none that could run. */
  #hasSlot(host: string): boolean {
    if (this.#quick.size >= this.#limits.quick) return false;
    if (!this.#isSuspect(host)) return true;
    let suspects = 0;
    for (const running of this.#quick) if (running.isSuspect) suspects += 1;
    return suspects < this.#limits.suspect;
  }

  #take(running: Running): void {
    running.began = this.#clock.now().getTime();
    running.heard = running.began;
    running.isSuspect = this.#isSuspect(running.host);
    this.#quick.add(running);
  }

  readonly #isSuspect = (host: string): boolean => this.#records.get(host) === 'hung';

  #becomesSlow(running: Running): void {
    if (!this.#quick.delete(running)) return;
    this.#slow.add(running);
    // not so for one that answered the last time: when the machine is busy, every program is slow
    if (this.#records.get(running.host) === undefined) this.#records.set(running.host, 'hung');
    if (this.#slow.size > this.#limits.slow) this.#endOne();
    this.#admitNext();
  }

  #endOne(): void {
    const counts = countsOf(this.#slow);
    const most = Math.max(...counts.values());
    const ofThose = [...this.#slow].filter(({ host }) => counts.get(host) === most);
    const [ended] = ofThose.sort((a, b) => a.heard - b.heard);
    if (!ended) return;
    this.#slow.delete(ended);
    const seconds = Math.round((this.#clock.now().getTime() - ended.began) / 1000);
    const why = `${ended.host} did not answer for ${seconds} s while many others were waited for`;
    ended.stop.abort(mayPass(new FairleadError('Unavailable', why)));
  }

  #admitNext(): void {
    const counts = countsOf([...this.#quick, ...this.#slow]);
    let next: Waiting | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const waiting of this.#queue) {
      if (!this.#hasSlot(waiting.host)) continue;
      const rank = (counts.get(waiting.host) ?? 0) + ranks[this.#records.get(waiting.host) ?? 'unknown'];
      if (rank >= lowest) continue;
      [next, lowest] = [waiting, rank];
    }
    if (!next) return;
    this.#queue.splice(this.#queue.indexOf(next), 1);
    next.admit();
  }
}

/** The steps are more than the programs that one host can have. */
const ranks = { answered: 0, unknown: 1_000_000, hung: 2_000_000 };

function countsOf(programs: Iterable<Running>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { host } of programs) counts.set(host, (counts.get(host) ?? 0) + 1);
  return counts;
}
