import { type Budget, FairleadError } from '#base/std';
import type { JsonValue } from './value.ts';

/** How a value was reached, innermost step last. The root has no key. */
export type Trail = {
  readonly parent: Trail | undefined;
  readonly key: JsonValue;
  /** The value there; a later step is a path only if it starts from exactly this. */
  readonly value: JsonValue;
};

/** The position of an evaluation: a value and, in path mode, the path to it. */
export type JqPosition = { readonly value: JsonValue; readonly trail: Trail | undefined };

/** The budget of one evaluation. `step` counts work, `take` counts allocations. */
export type Run = Budget;

/**
 * A runtime error that an expression can catch; it carries any value. Not an Error: expressions such as `.. |
 * .a?` throw and catch one for every scalar, and most of the cost of an Error is a stack trace, which is
 * never read.
 */
export class JqError {
  readonly value: JsonValue;
  /** Raised by the expression itself, so the value may be user data. */
  readonly raised: boolean;

  constructor(value: JsonValue, raised = false) {
    this.value = value;
    this.raised = raised;
  }
}

/** `halt`: ends the evaluation; nothing catches it. */
export class Halt {}

/** Ends the `label` that made it. */
export class Break {
  readonly label: object;

  constructor(label: object) {
    this.label = label;
  }
}

export const atValue = (value: JsonValue): JqPosition => ({ value, trail: undefined });

export const rootTrail = (value: JsonValue): Trail => ({ parent: undefined, key: null, value });

/** compat gojq: a path continues only from the very value it led to. */
export const isIntact = (value: JsonValue, trail: Trail): boolean => Object.is(value, trail.value);

export function pathOf(trail: Trail): JsonValue[] {
  const path: JsonValue[] = [];
  for (let step = trail; step.parent; step = step.parent) path.push(step.key);
  return path.reverse();
}

export const tooBig = (what: string): FairleadError => new FairleadError('LimitExceeded', what);
