import { FairleadError } from './errors.ts';

/**
 * What hostile input may spend. Interpreters and renderers count against it as they go;
 * going over throws LimitExceeded, which names the thing that was being worked on.
 */
export class Budget {
  readonly #what: string;
  #steps: number;
  #bytes: number;
  readonly #limits: { steps: number; bytes: number };

  constructor(what: string, limits: { steps?: number; bytes?: number }) {
    this.#what = what;
    this.#limits = {
      steps: limits.steps ?? Number.MAX_SAFE_INTEGER,
      bytes: limits.bytes ?? Number.MAX_SAFE_INTEGER,
    };
    this.#steps = this.#limits.steps;
    this.#bytes = this.#limits.bytes;
  }

  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0) throw this.#exceeded(`${this.#limits.steps} steps`);
  }

  take(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) throw this.#exceeded(`${this.#limits.bytes} bytes`);
  }

  get stepsLeft(): number {
    return Math.max(0, this.#steps);
  }

  get bytesLeft(): number {
    return Math.max(0, this.#bytes);
  }

  #exceeded(limit: string): FairleadError {
    return new FairleadError('LimitExceeded', `${this.#what} needs more than ${limit}`);
  }
}
