import { Budget, FairleadError } from '#base/std';
import type { CallContext, TemplateHost } from './value.ts';

/** What one execution may spend. */
export type TemplateBudget = {
  /** Steps, and bytes of output and of every value on the way. Pass one to share it among many templates. */
  readonly budget?: Budget;
  /** Polled now and then; true ends the execution. */
  readonly outOfTime?: () => boolean;
};

const usual = { steps: 500_000, bytes: 16_000_000 };
const deepest = 400; // blocks, templates and expressions inside each other; each costs a few stack frames
const pollEvery = 1 << 10;
const bytesPerStep = 64;

/** Counts the work of one execution. Going over a limit throws LimitExceeded, which names it. */
export class Meter implements CallContext {
  readonly host: TemplateHost;
  readonly #name: string;
  readonly #budget: Budget;
  readonly #outOfTime: (() => boolean) | undefined;
  #untilPoll = pollEvery;
  #depth = 0;

  constructor(name: string, host: TemplateHost, given: TemplateBudget) {
    this.#name = name;
    this.host = host;
    this.#budget = given.budget ?? new Budget(`template ${name}`, usual);
    this.#outOfTime = given.outOfTime;
  }

  step(count = 1): void {
    this.#budget.step(count);
    this.#untilPoll -= count;
    if (this.#untilPoll > 0) return;
    this.#untilPoll = pollEvery;
    if (this.#outOfTime?.())
      throw new FairleadError('LimitExceeded', `template ${this.#name} needs more than its time`);
  }

  /** Bytes cost steps too: work on a value is as long as the value. */
  alloc(bytes: number): void {
    this.#budget.take(bytes);
    if (bytes >= bytesPerStep) this.step(Math.floor(bytes / bytesPerStep));
  }

  /** Runs something one level deeper. */
  deeper<T>(work: () => T): T {
    if (this.#depth >= deepest)
      throw new FairleadError(
        'LimitExceeded',
        `template ${this.#name} nests templates and expressions deeper than ${deepest}`,
      );
    this.#depth += 1;
    try {
      return work();
    } finally {
      this.#depth -= 1;
    }
  }
}
