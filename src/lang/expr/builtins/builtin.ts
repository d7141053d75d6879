import type { ExprRun } from '../evaluation.ts';
import type { ExprValue } from '../value.ts';

/** A function of the language. It is called with as many arguments as it takes. */
export type Builtin = {
  readonly arity: readonly [least: number, most?: number];
  call(run: ExprRun, ...args: ExprValue[]): ExprValue;
};
