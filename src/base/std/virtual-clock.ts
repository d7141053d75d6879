import type { Clock } from './clock.ts';

type Sleeper = { readonly at: number; readonly order: number; wake(): void; cancel(): void };

/** A clock that moves only when its owner advances it. */
export type VirtualClock = Clock & {
  /** Moves time forward and resolves sleepers in order; the work of each settles before the next. */
  advance(ms: number): Promise<void>;
  /** Moves straight to the next sleeper. False when there is none. */
  advanceToNext(): Promise<boolean>;
  /** Keeps jumping to the next sleeper until `done` settles or no sleeper is left. */
  autoAdvance<T>(done: Promise<T>): Promise<T>;
  /** How many are asleep. */
  readonly sleepers: number;
};

export type VirtualClockOptions = {
  readonly start?: Date;
  /**
   * Waits until all work that is ready has been done. The default drains microtasks only; a caller whose work
   * passes through real I/O supplies one that waits for it.
   */
  readonly settle?: () => Promise<void>;
};

/** Time that passes only when the test advances it: ten minutes of waves take as long as their work does. */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const settle = options.settle ?? drainMicrotasks;
  const sleepers: Sleeper[] = [];
  let time = (options.start ?? new Date('2024-01-01T00:00:00Z')).getTime();
  let orders = 0;

  function sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = () => sleeper.cancel();
      const sleeper: Sleeper = {
        at: time + Math.max(0, ms),
        order: orders++,
        wake: () => leave(resolve),
        cancel: () => leave(() => reject(signal.reason)),
      };
      function leave(then: () => void): void {
        signal.removeEventListener('abort', stop);
        const index = sleepers.indexOf(sleeper);
        if (index >= 0) sleepers.splice(index, 1);
        then();
      }
      signal.addEventListener('abort', stop);
      const place = sleepers.findIndex((other) => other.at > sleeper.at);
      sleepers.splice(place < 0 ? sleepers.length : place, 0, sleeper);
    });
  }

  async function wakeUntil(limit: number): Promise<void> {
    await settle();
    for (let next = sleepers[0]; next && next.at <= limit; next = sleepers[0]) {
      time = Math.max(time, next.at);
      next.wake();
      await settle();
    }
  }

  async function advanceToNext(): Promise<boolean> {
    await settle();
    const next = sleepers[0];
    if (!next) return false;
    await wakeUntil(next.at);
    return true;
  }

  return {
    now: () => new Date(time),
    sleep,
    async advance(ms) {
      const limit = time + ms;
      await wakeUntil(limit);
      time = limit;
    },
    advanceToNext,
    async autoAdvance(done) {
      let settled = false;
      const mark = () => {
        settled = true;
      };
      done.then(mark, mark);
      while (!settled && (await advanceToNext())) {
        // each round resolves one sleeper and lets its work settle
      }
      return done;
    },
    get sleepers() {
      return sleepers.length;
    },
  };
}

async function drainMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
