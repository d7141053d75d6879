import { FairleadError } from '#base/std';

/** The limits of one evaluation. Exceeding any of them throws LimitExceeded. */
export type JsonnetLimits = {
  /** Calls, values worked out, list items made; text is counted by the sixteen characters. */
  readonly steps: number;
  /** Calls and values that wait for one another. */
  readonly depth: number;
  /** Characters a string may have. */
  readonly text: number;
  /** Characters of names and strings in the result; each value counts for sixteen more. */
  readonly output: number;
};

/** compat sources JSN-4: the depth is that of go-jsonnet; it has no other limits. */
export const defaultLimits: JsonnetLimits = {
  steps: 10_000_000,
  depth: 500,
  text: 50_000_000,
  output: 50_000_000,
};

/** Counts what an evaluation costs. After a failure it is of no more use. */
export class JsonnetMeter {
  readonly #what: string;
  readonly #limits: JsonnetLimits;
  #steps: number;
  #depth: number;
  #output: number;

  constructor(what: string, limits: JsonnetLimits) {
    this.#what = what;
    this.#limits = limits;
    this.#steps = limits.steps;
    this.#depth = limits.depth;
    this.#output = limits.output;
  }

  enter(): void {
    this.#depth -= 1;
    this.#steps -= 1;
    if (this.#depth < 0)
      throw this.#over(`${this.#limits.depth} calls within one another: look for an endless recursion`);
    if (this.#steps < 0) throw this.#over(`${this.#limits.steps} steps`);
  }

  leave(): void {
    this.#depth += 1;
  }

  step(count = 1): void {
    this.#steps -= count;
    if (!(this.#steps >= 0)) throw this.#over(`${this.#limits.steps} steps`);
  }

  /** A string of so many characters is about to be made. */
  text(length: number): void {
    if (length > this.#limits.text) throw this.#over(`${this.#limits.text} characters in a string`);
    this.step(length / 16);
  }

  /** Two strings are about to be joined, which costs nothing yet. */
  joined(length: number): void {
    if (length > this.#limits.text) throw this.#over(`${this.#limits.text} characters in a string`);
  }

  output(size: number): void {
    this.#output -= size;
    if (this.#output < 0) throw this.#over(`${this.#limits.output} characters of output`);
  }

  #over(limit: string): FairleadError {
    return new FairleadError('LimitExceeded', `${this.#what} needs more than ${limit}`);
  }
}
