import { Budget } from '#base/std';
import type { ExprValue, NumberReading } from './value.ts';

/** What an expression may spend. */
type ExprLimits = {
  /** Parts evaluated and elements visited. */
  readonly steps?: number;
  /** Elements and characters of what it makes. */
  readonly bytes?: number;
};

export type ExprOptions = {
  readonly limits?: ExprLimits;
  /** How numbers of the environment are read; `ints` when left out. */
  readonly numbers?: NumberReading;
  /** A member of nil is nil instead of an error (compat server §6.2). */
  readonly isNilSafe?: boolean;
  /** The clock of `now()`, in milliseconds; left out: `now` fails. */
  readonly now?: () => number;
};

const defaults = { steps: 1_000_000, bytes: 4_000_000 };

/** The element that a predicate is about. */
type Scope = { readonly item: ExprValue; readonly index: number; readonly accumulated: ExprValue };

/** A compiled part of an expression. */
export type Closed = (run: ExprRun) => ExprValue;

/** One run of an expression. */
export class ExprRun {
  readonly environment: Readonly<Record<string, unknown>>;
  readonly numbers: NumberReading;
  readonly isNilSafe: boolean;
  readonly now: (() => number) | undefined;
  /** The values of `let`, by slot. */
  readonly variables: ExprValue[] = [];
  scope: Scope | undefined;
  readonly #budget: Budget;

  constructor(environment: Readonly<Record<string, unknown>>, options: ExprOptions) {
    this.environment = environment;
    this.numbers = options.numbers ?? 'ints';
    this.isNilSafe = options.isNilSafe ?? false;
    this.now = options.now;
    this.#budget = new Budget('expression', { ...defaults, ...options.limits });
  }

  step(count = 1): void {
    this.#budget.step(count);
  }

  /** Before something of that size is made. */
  allocate(size: number): void {
    this.#budget.take(size);
  }
}
