import type { GoType } from './go-type.ts';
import type { Node } from './nodes.ts';
import type { GoFunction, Value } from './value.ts';

/** Stands for the value that a pipeline passes on, where there is none. */
export const missing = Symbol('missing');
/** What came through a pipeline. */
export type Final = Value | typeof missing;

/** Where a call stands: who calls what with which arguments. */
export type Call = {
  readonly node: Node;
  readonly name: string;
  readonly args: readonly Node[];
  readonly final: Final;
};

/** Dot, or what a variable holds. `boxed` when it came out of a container of interfaces: some messages name that type. */
export type Slot = { readonly value: Value; readonly boxed: boolean };

/** What calls and constants need of the evaluation that they are part of. */
export type Scope = {
  /** Marks where execution stands, for messages. */
  at(node: Node): void;
  fail(message: string): never;
  argument(dot: Slot, type: GoType | undefined, node: Node): Value;
  validate(value: Value, type: GoType | undefined): Value;
  invoke(fn: GoFunction, args: readonly Value[], call: Call): Value;
};
