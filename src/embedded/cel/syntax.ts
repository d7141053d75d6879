import type { CelValue } from './value.ts';

/** A parsed expression, macros expanded. `at` is the offset its errors point to. */
export type Expr = Constant | Ident | Select | CelCall | ListExpr | MapExpr | StructExpr | Fold;

export type Constant = { readonly is: 'const'; readonly at: number; readonly value: CelValue };
export type Ident = { readonly is: 'ident'; readonly at: number; readonly name: string };
export type Select = {
  readonly is: 'select';
  readonly at: number;
  readonly operand: Expr;
  readonly field: string;
  /** has(operand.field): tests for presence. */
  readonly test: boolean;
};
export type CelCall = {
  readonly is: 'call';
  readonly at: number;
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
};
export type ListExpr = {
  readonly is: 'list';
  readonly at: number;
  readonly items: readonly Expr[];
  /** The indexes of items written with `?`. */
  readonly optional: ReadonlySet<number>;
};
export type MapEntry = {
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
};
type MapExpr = { readonly is: 'map'; readonly at: number; readonly entries: readonly MapEntry[] };
type StructExpr = { readonly is: 'struct'; readonly at: number; readonly name: string };
/** A comprehension: iterates over `range`, folding into `accu` while `condition` holds. */
export type Fold = {
  readonly is: 'fold';
  readonly at: number;
  readonly range: Expr;
  readonly variable: string;
  /** Set: `variable` is the index or key and this is the value. */
  readonly second: string | undefined;
  readonly accu: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
};

export const constant = (at: number, value: CelValue): Constant => ({ is: 'const', at, value });
export const ident = (at: number, name: string): Ident => ({ is: 'ident', at, name });
export const call = (at: number, name: string, ...args: Expr[]): CelCall => ({
  is: 'call',
  at,
  name,
  target: undefined,
  args,
});
export const list = (at: number, ...items: Expr[]): ListExpr => ({
  is: 'list',
  at,
  items,
  optional: new Set(),
});

/** Function names that no expression can contain. */
export const operators = {
  and: '_&&_',
  or: '_||_',
  not: '!_',
  negate: '-_',
  choose: '_?_:_',
  equal: '_==_',
  index: '_[_]',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  in: '@in',
  notStrictlyFalse: '@not_strictly_false',
  accumulator: '@result',
} as const;
