import type { JsonValue } from './value.ts';

export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=';
export type UpdateOp = '=' | '|=' | '+=' | '-=' | '*=' | '/=' | '%=' | '//=';

export type Definition = { readonly name: string; readonly params: readonly string[]; readonly body: Node };

export type ObjectField = { readonly key: Node; readonly value: Node };

/** What `as` takes apart. A field may name a variable, a pattern, or both. */
export type Pattern =
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'array'; readonly items: readonly Pattern[] }
  | { readonly is: 'object'; readonly fields: readonly PatternField[] };

export type PatternField = {
  readonly key: Node;
  readonly name: string | undefined;
  readonly pattern: Pattern | undefined;
};

type Sides = { readonly left: Node; readonly right: Node };
type Loop = { readonly source: Node; readonly pattern: Pattern; readonly start: Node; readonly update: Node };

/** The tree of an expression. `at` is a position in the text, for complaints that come after parsing. */
export type Node =
  | { readonly is: 'identity' }
  | { readonly is: 'recurse' }
  | { readonly is: 'literal'; readonly value: JsonValue }
  | { readonly is: 'index'; readonly of: Node; readonly key: Node }
  | {
      readonly is: 'slice';
      readonly of: Node;
      readonly from: Node | undefined;
      readonly to: Node | undefined;
    }
  | { readonly is: 'iterate'; readonly of: Node }
  | { readonly is: 'try'; readonly body: Node; readonly handler: Node | undefined }
  | { readonly is: 'call'; readonly name: string; readonly args: readonly Node[]; readonly at: number }
  | { readonly is: 'variable'; readonly name: string; readonly at: number }
  | { readonly is: 'object'; readonly fields: readonly ObjectField[] }
  | { readonly is: 'array'; readonly of: Node | undefined }
  | { readonly is: 'sign'; readonly negative: boolean; readonly of: Node }
  | { readonly is: 'format'; readonly name: string }
  | {
      readonly is: 'template';
      readonly format: string | undefined;
      readonly parts: readonly (string | Node)[];
    }
  | { readonly is: 'if'; readonly test: Node; readonly then: Node; readonly otherwise: Node | undefined }
  | ({ readonly is: 'reduce' } & Loop)
  | ({ readonly is: 'foreach'; readonly extract: Node | undefined } & Loop)
  | { readonly is: 'label'; readonly name: string; readonly body: Node }
  | { readonly is: 'break'; readonly name: string; readonly at: number }
  | { readonly is: 'bind'; readonly source: Node; readonly patterns: readonly Pattern[]; readonly body: Node }
  | { readonly is: 'define'; readonly definition: Definition; readonly body: Node }
  | ({ readonly is: 'pipe' } & Sides)
  | ({ readonly is: 'comma' } & Sides)
  | ({ readonly is: 'and' } & Sides)
  | ({ readonly is: 'or' } & Sides)
  | ({ readonly is: '//' } & Sides)
  | { readonly is: 'binary'; readonly op: BinaryOp; readonly left: Node; readonly right: Node }
  | { readonly is: 'update'; readonly op: UpdateOp; readonly left: Node; readonly right: Node };

/** The node of one kind. */
export type NodeOf<Is extends Node['is']> = Extract<Node, { is: Is }>;

export const identity: Node = { is: 'identity' };
export const literal = (value: JsonValue): Node => ({ is: 'literal', value });
