import type { SourceText } from './fault.ts';
import type { Expression, Visibility } from './value.ts';

/** Where a node stands; its code is set by resolve(). */
type Common = Expression & { readonly source: SourceText; readonly at: number };

export type BinaryOperator =
  | '*'
  | '/'
  | '%'
  | '+'
  | '-'
  | '<<'
  | '>>'
  | '<'
  | '>'
  | '<='
  | '>='
  | 'in'
  | '=='
  | '!='
  | '&'
  | '^'
  | '|'
  | '&&'
  | '||';
export type UnaryOperator = '+' | '-' | '!' | '~';

export type ImportKind = 'import' | 'importstr' | 'importbin';

export type Param = { readonly name: string; readonly at: number; readonly fallback?: Node };
export type Bind = { readonly name: string; readonly at: number; readonly value: Node };
export type Assertion = { readonly at: number; readonly condition: Node; readonly message?: Node };

export type Field = {
  readonly at: number;
  /** A string for a name that is known; otherwise an expression. */
  readonly name: string | Node;
  readonly plus: boolean;
  readonly visibility: Visibility;
  readonly value: Node;
};

/** `for x in list` or `if condition`. */
export type Clause =
  | { readonly do: 'for'; readonly name: string; readonly list: Node }
  | { readonly do: 'if'; readonly condition: Node };

export type ObjectBody = {
  readonly locals: readonly Bind[];
  readonly asserts: readonly Assertion[];
  /** This object is the outermost one, which `$` names; it then has the first slot. */
  dollar: boolean;
};

export type Argument = { readonly name?: string; readonly value: Node };

export type Kinds = {
  literal: { readonly value: null | boolean | number | string };
  self: unknown;
  /** Frames to go up, and the place there; resolve() fills them in. */
  name: { readonly name: string; hops: number; slot: number };
  super: { readonly index: Node };
  inSuper: { readonly name: Node };
  array: { readonly items: readonly Node[] };
  arrayComprehension: { readonly item: Node; readonly clauses: readonly Clause[] };
  object: { readonly fields: readonly Field[]; readonly body: ObjectBody };
  objectComprehension: {
    readonly name: Node;
    readonly plus: boolean;
    readonly value: Node;
    readonly clauses: readonly Clause[];
    readonly body: ObjectBody;
  };
  index: { readonly target: Node; readonly index: Node };
  slice: {
    readonly target: Node;
    readonly from: Node | undefined;
    readonly to: Node | undefined;
    readonly step: Node | undefined;
  };
  call: { readonly target: Node; readonly args: readonly Argument[]; readonly strict: boolean };
  unary: { readonly operator: UnaryOperator; readonly operand: Node };
  binary: { readonly operator: BinaryOperator; readonly left: Node; readonly right: Node };
  if: { readonly condition: Node; readonly then: Node; readonly otherwise: Node | undefined };
  local: { readonly binds: readonly Bind[]; readonly body: Node };
  function: { readonly params: readonly Param[]; readonly body: Node };
  error: { readonly message: Node };
  assert: { readonly assertion: Assertion; readonly rest: Node };
  import: { readonly how: ImportKind; readonly path: string };
};

export type NodeOf<K extends keyof Kinds> = Common & { readonly kind: K } & Kinds[K];

/** An expression. */
export type Node = { [K in keyof Kinds]: NodeOf<K> }[keyof Kinds];
