/** A parsed expression. `at` is the offset in the text that an error names. */
export type ExprNode = { readonly at: number } & (
  | { readonly is: 'constant'; readonly value: null | boolean | string | bigint | number }
  | { readonly is: 'name'; readonly name: string }
  /** `#`, `#index`, `#acc`: the element that a predicate is about, and its companions. */
  | { readonly is: 'pointer'; readonly name: string }
  | { readonly is: 'unary'; readonly operator: string; readonly of: ExprNode }
  | { readonly is: 'binary'; readonly operator: string; readonly left: ExprNode; readonly right: ExprNode }
  | {
      readonly is: 'condition';
      readonly test: ExprNode;
      readonly then: ExprNode;
      readonly otherwise: ExprNode;
    }
  | MemberNode
  /** Where an optional member inside finds nil, the whole chain is nil. */
  | { readonly is: 'chain'; readonly of: ExprNode }
  | {
      readonly is: 'slice';
      readonly of: ExprNode;
      readonly from: ExprNode | undefined;
      readonly to: ExprNode | undefined;
    }
  | CallNode
  | { readonly is: 'builtin'; readonly name: string; readonly args: readonly ExprNode[] }
  | { readonly is: 'list'; readonly items: readonly ExprNode[] }
  | { readonly is: 'map'; readonly pairs: readonly (readonly [ExprNode, ExprNode])[] }
  | { readonly is: 'let'; readonly name: string; readonly value: ExprNode; readonly body: ExprNode }
  | { readonly is: 'sequence'; readonly parts: readonly ExprNode[] }
);

type MemberNode = {
  readonly is: 'member';
  readonly of: ExprNode;
  readonly key: ExprNode;
  readonly isOptional: boolean;
};
type CallNode = { readonly is: 'call'; readonly callee: ExprNode; readonly args: readonly ExprNode[] };

export type ExprNodeOf<Kind extends ExprNode['is']> = Extract<ExprNode, { readonly is: Kind }>;
