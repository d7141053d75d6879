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

/** The host to query and the project for which. */
export type HostUse = {
  readonly host: string;
  readonly project: string;
  /** The host answered an earlier process with these credentials. */
  readonly isProven?: boolean;
};

type Waiting = HostUse & { admit(): void };
type Running = Pick<HostUse, 'host' | 'project'> & {
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
 * second frees its slot; when too many such programs run, one of the host and project with most of them is ended, the one
 * that has received nothing for longest. The next from the queue is one of a host that answered the last time, then of
 * one that is not known, and among those of the host and project with the fewest running programs; of equals the oldest
 * and the newest alternate, so that hundreds of unknown hosts that hang do not delay one that was added after them.
 * Hosts that hung the last time have few slots: hundreds of them, ended and retried, would keep the processors busy with
 * starting programs.
 */
export class HostLimit {
  readonly #limits: HostLimits;
  readonly #clock: Clock;
  readonly #queue: Waiting[] = [];
  readonly #quick = new Set<Running>();
  readonly #slow = new Set<Running>();
  /** How the last program of each host ended; a first one that has run for long counts as hung until it ends. */
  readonly #records = new Lru<'answered' | 'hung'>({ capacity: 10_000 });
  /** Whether the next of equals is the one that was queued last. */
  #isNewestNext = false;

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
    use: HostUse,
    work: (ctx: Ctx, heard: () => void) => Promise<Value>,
  ): Promise<Value> {
    const stop = new AbortController();
    const done = new AbortController();
    const now = this.#clock.now().getTime();
    const { host, project } = use;
    const running: Running = { host, project, isSuspect: false, began: now, heard: now, stop };
    await this.#admitted(ctx, use, running);
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
  async #admitted(ctx: Ctx, use: HostUse, running: Running): Promise<void> {
    ctx.signal.throwIfAborted();
    if (this.#hasSlot(running.host)) return this.#take(running);
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        ...use,
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
    const load = loadOf(this.#slow);
    const most = Math.max(...[...this.#slow].map(load));
    const ofThose = [...this.#slow].filter((running) => load(running) === most);
    const [ended] = ofThose.sort((a, b) => a.heard - b.heard);
    if (!ended) return;
    this.#slow.delete(ended);
    const seconds = Math.round((this.#clock.now().getTime() - ended.began) / 1000);
    const why = `${ended.host} did not answer for ${seconds} s while many others were waited for`;
    ended.stop.abort(mayPass(new FairleadError('Unavailable', why)));
  }

  #admitNext(): void {
    const load = loadOf([...this.#quick, ...this.#slow]);
    const waiting = this.#queue.filter(({ host }) => this.#hasSlot(host));
    const places = waiting.map((one) => this.#rank(one) + load(one));
    const lowest = Math.min(...places);
    const at = this.#isNewestNext ? places.lastIndexOf(lowest) : places.indexOf(lowest);
    const next = waiting[at];
    if (!next) return;
    this.#isNewestNext = !this.#isNewestNext;
    this.#queue.splice(this.#queue.indexOf(next), 1);
    next.admit();
  }

  #rank({ host, isProven = false }: HostUse): number {
    return ranks[this.#records.get(host) ?? (isProven ? 'answered' : 'unknown')];
  }
}

/** The steps are more than the programs that there can be. */
const ranks = { answered: 0, unknown: 1_000_000, hung: 2_000_000 };

/** How many of these programs are of the same host, and how many of the same project: neither may have them all. */
function loadOf(programs: Iterable<Running>): (use: Pick<HostUse, 'host' | 'project'>) => number {
  const [hosts, projects] = [new Map<string, number>(), new Map<string, number>()];
  for (const { host, project } of programs) {
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
    projects.set(project, (projects.get(project) ?? 0) + 1);
  }
  return ({ host, project }) => (hosts.get(host) ?? 0) + (projects.get(project) ?? 0);
}
