import type { JsonValue } from './value.ts';

export type BinaryOp = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=';
export type UpdateOp = '=' | '|=' | '+=' | '-=' | '*=' | '/=' | '%=' | '//=';

export type JqDefinition = {
  readonly name: string;
  readonly params: readonly string[];
  readonly body: JqNode;
};

export type ObjectField = { readonly key: JqNode; readonly value: JqNode };

/** The pattern of `as`. A field may name a variable, a pattern, or both. */
export type Pattern =
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'array'; readonly items: readonly Pattern[] }
  | { readonly is: 'object'; readonly fields: readonly PatternField[] };

export type PatternField = {
  readonly key: JqNode;
  readonly name: string | undefined;
  readonly pattern: Pattern | undefined;
};

type Sides = { readonly left: JqNode; readonly right: JqNode };
type Loop = {
  readonly source: JqNode;
  readonly pattern: Pattern;
  readonly start: JqNode;
  readonly update: JqNode;
};

/** The tree of an expression. `at` is a position in the text, for complaints that come after parsing. */
export type JqNode =
  | { readonly is: 'identity' }
  | { readonly is: 'recurse' }
  | { readonly is: 'literal'; readonly value: JsonValue }
  | { readonly is: 'index'; readonly of: JqNode; readonly key: JqNode }
  | {
      readonly is: 'slice';
      readonly of: JqNode;
      readonly from: JqNode | undefined;
      readonly to: JqNode | undefined;
    }
  | { readonly is: 'iterate'; readonly of: JqNode }
  | { readonly is: 'try'; readonly body: JqNode; readonly handler: JqNode | undefined }
  | { readonly is: 'call'; readonly name: string; readonly args: readonly JqNode[]; readonly at: number }
  | { readonly is: 'variable'; readonly name: string; readonly at: number }
  | { readonly is: 'object'; readonly fields: readonly ObjectField[] }
  | { readonly is: 'array'; readonly of: JqNode | undefined }
  | { readonly is: 'sign'; readonly negative: boolean; readonly of: JqNode }
  | { readonly is: 'format'; readonly name: string }
  | {
      readonly is: 'template';
      readonly format: string | undefined;
      readonly parts: readonly (string | JqNode)[];
    }
  | {
      readonly is: 'if';
      readonly test: JqNode;
      readonly then: JqNode;
      readonly otherwise: JqNode | undefined;
    }
  | ({ readonly is: 'reduce' } & Loop)
  | ({ readonly is: 'foreach'; readonly extract: JqNode | undefined } & Loop)
  | { readonly is: 'label'; readonly name: string; readonly body: JqNode }
  | { readonly is: 'break'; readonly name: string; readonly at: number }
  | {
      readonly is: 'bind';
      readonly source: JqNode;
      readonly patterns: readonly Pattern[];
      readonly body: JqNode;
    }
  | { readonly is: 'define'; readonly definition: JqDefinition; readonly body: JqNode }
  | ({ readonly is: 'pipe' } & Sides)
  | ({ readonly is: 'comma' } & Sides)
  | ({ readonly is: 'and' } & Sides)
  | ({ readonly is: 'or' } & Sides)
  | ({ readonly is: '//' } & Sides)
  | { readonly is: 'binary'; readonly op: BinaryOp; readonly left: JqNode; readonly right: JqNode }
  | { readonly is: 'update'; readonly op: UpdateOp; readonly left: JqNode; readonly right: JqNode };

/** The node of one kind. */
export type JqNodeOf<Is extends JqNode['is']> = Extract<JqNode, { is: Is }>;

export const identity: JqNode = { is: 'identity' };
export const literal = (value: JsonValue): JqNode => ({ is: 'literal', value });
