import type { Clock } from '#base/std';

/** Milliseconds that never run backwards: a wall clock set back an hour must not put every retry off by one. */
export class SteadyTime {
  readonly #clock: Clock;
  #lastWall = Number.NEGATIVE_INFINITY;
  #lead = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    const wall = this.#clock.now().getTime();
    if (wall < this.#lastWall) this.#lead += this.#lastWall - wall;
    this.#lastWall = wall;
    return wall + this.#lead;
  }

  /** Afterwards `now()` is at least `until`, whatever the wall clock did meanwhile. Rejects when aborted. */
  async sleepUntil(until: number, signal: AbortSignal): Promise<void> {
    await this.#clock.sleep(Math.max(0, until - this.now()), signal);
    const missing = until - this.now();
    if (missing > 0) this.#lead += missing;
  }
}
