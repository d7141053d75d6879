import type { SourceText } from './fault.ts';
import type { Expression, Visibility } from './value.ts';

/** The position of a node; resolve() sets its code. */
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

export type Param = { readonly name: string; readonly at: number; readonly fallback?: JsonnetNode };
export type Bind = { readonly name: string; readonly at: number; readonly value: JsonnetNode };
export type Assertion = {
  readonly at: number;
  readonly condition: JsonnetNode;
  readonly message?: JsonnetNode;
};

export type JsonnetField = {
  readonly at: number;
  /** A string for a name that is known; otherwise an expression. */
  readonly name: string | JsonnetNode;
  readonly plus: boolean;
  readonly visibility: Visibility;
  readonly value: JsonnetNode;
};

/** `for x in list` or `if condition`. */
export type JsonnetClause =
  | { readonly do: 'for'; readonly name: string; readonly list: JsonnetNode }
  | { readonly do: 'if'; readonly condition: JsonnetNode };

export type ObjectBody = {
  readonly locals: readonly Bind[];
  readonly asserts: readonly Assertion[];
  /** This object is the outermost one, which `$` names; it then has the first slot. */
  dollar: boolean;
};

export type JsonnetArgument = { readonly name?: string; readonly value: JsonnetNode };

export type JsonnetKinds = {
  literal: { readonly value: null | boolean | number | string };
  self: unknown;
  /** Frames to go up, and the slot there; resolve() fills them in. */
  name: { readonly name: string; hops: number; slot: number };
  super: { readonly index: JsonnetNode };
  inSuper: { readonly name: JsonnetNode };
  array: { readonly items: readonly JsonnetNode[] };
  arrayComprehension: { readonly item: JsonnetNode; readonly clauses: readonly JsonnetClause[] };
  object: { readonly fields: readonly JsonnetField[]; readonly body: ObjectBody };
  objectComprehension: {
    readonly name: JsonnetNode;
    readonly plus: boolean;
    readonly value: JsonnetNode;
    readonly clauses: readonly JsonnetClause[];
    readonly body: ObjectBody;
  };
  index: { readonly target: JsonnetNode; readonly index: JsonnetNode };
  slice: {
    readonly target: JsonnetNode;
    readonly from: JsonnetNode | undefined;
    readonly to: JsonnetNode | undefined;
    readonly step: JsonnetNode | undefined;
  };
  call: { readonly target: JsonnetNode; readonly args: readonly JsonnetArgument[]; readonly strict: boolean };
  unary: { readonly operator: UnaryOperator; readonly operand: JsonnetNode };
  binary: { readonly operator: BinaryOperator; readonly left: JsonnetNode; readonly right: JsonnetNode };
  if: {
    readonly condition: JsonnetNode;
    readonly then: JsonnetNode;
    readonly otherwise: JsonnetNode | undefined;
  };
  local: { readonly binds: readonly Bind[]; readonly body: JsonnetNode };
  function: { readonly params: readonly Param[]; readonly body: JsonnetNode };
  error: { readonly message: JsonnetNode };
  assert: { readonly assertion: Assertion; readonly rest: JsonnetNode };
  import: { readonly how: ImportKind; readonly path: string };
};

export type JsonnetNodeOf<K extends keyof JsonnetKinds> = Common & { readonly kind: K } & JsonnetKinds[K];

/** An expression. */
export type JsonnetNode = { [K in keyof JsonnetKinds]: JsonnetNodeOf<K> }[keyof JsonnetKinds];
