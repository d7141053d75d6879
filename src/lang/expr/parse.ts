import { FairleadError } from '#base/std';
import { parseFloatText, parseInteger } from '#lang/go-template';
import { builtinNames } from './builtins/names.ts';
import { invalidExpression } from './errors.ts';
import { type ExprToken, lex } from './lex.ts';
import type { ExprNode, ExprNodeOf } from './syntax.ts';

type Operator = { readonly precedence: number; readonly isRight?: true };
const binary: Readonly<Record<string, Operator>> = {
  '|': { precedence: 0 },
  ...levels(10, 'or', '||'),
  ...levels(15, 'and', '&&'),
  ...levels(20, '==', '!=', '<', '>', '>=', '<='),
  ...levels(20, 'in', 'matches', 'contains', 'startsWith', 'endsWith'),
  ...levels(25, '..'),
  ...levels(30, '+', '-'),
  ...levels(60, '*', '/', '%'),
  '**': { precedence: 100, isRight: true },
  '^': { precedence: 100, isRight: true },
  '??': { precedence: 500 },
};
const unary: Readonly<Record<string, number>> = { not: 50, '!': 50, '-': 90, '+': 90 };
const negatable = new Set(['contains', 'matches', 'startsWith', 'endsWith', 'in']);
const comparisons = new Set(['<', '>', '<=', '>=']);
/** What a function that runs a predicate takes after its list. */
const predicates: Readonly<Record<string, readonly ('predicate' | 'predicate?' | 'value?')[]>> = {
  ...Object.fromEntries(
    [
      'all',
      'none',
      'any',
      'one',
      'filter',
      'map',
      'find',
      'findIndex',
      'findLast',
      'findLastIndex',
      'groupBy',
    ].map((name) => [name, ['predicate'] as const]),
  ),
  count: ['predicate?'],
  sum: ['predicate?'],
  sortBy: ['predicate', 'value?'],
  reduce: ['predicate', 'value?'],
};
const maxNodes = 10_000;
const maxDepth = 200;

function levels(precedence: number, ...names: string[]): Record<string, Operator> {
  return Object.fromEntries(names.map((name) => [name, { precedence }]));
}

/** Throws InvalidSpec with the place, LimitExceeded for an expression too large. */
export const parse = (text: string): ExprNode => new Parser(text).whole();

class Parser {
  readonly #text: string;
  readonly #tokens: readonly ExprToken[];
  #position = 0;
  /** How many predicates are open: only inside one `#` and a leading dot have a meaning. */
  #predicates = 0;
  #nodes = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = lex(text);
  }

  whole(): ExprNode {
    const node = this.#sequence();
    if (this.#token.kind !== 'end') throw this.#unexpected();
    return node;
  }

  get #token(): ExprToken {
    return this.#tokens[this.#position] as ExprToken;
  }

  #is(text: string): boolean {
    const { kind, text: actual } = this.#token;
    return actual === text && (kind === 'operator' || kind === 'bracket');
  }

  #next(): ExprToken {
    const token = this.#token;
    if (token.kind !== 'end') this.#position += 1;
    return token;
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#next();
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(`"${text}" is missing before`);
  }

  #name(): ExprToken {
    if (this.#token.kind !== 'name') throw this.#unexpected('a name is missing before');
    return this.#next();
  }

  #unexpected(problem = 'unexpected'): FairleadError {
    const { kind, text, at } = this.#token;
    return invalidExpression(this.#text, at, `${problem} ${kind === 'end' ? text : JSON.stringify(text)}`);
  }

  #made<N extends ExprNode>(node: N): N {
    this.#nodes += 1;
    if (this.#nodes > maxNodes) throw tooLarge(`has more than ${maxNodes} parts`);
    return node;
  }

  #sequence(): ExprNode {
    const { at } = this.#token;
    const first = this.#expression(0);
    const parts = [first];
    while (this.#accept(';') && this.#token.kind !== 'end') parts.push(this.#expression(0));
    return parts.length === 1 ? first : this.#made({ is: 'sequence', parts, at });
  }

  #expression(precedence: number): ExprNode {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw tooLarge(`nests deeper than ${maxDepth}`);
    try {
      if (precedence > 0) return this.#operations(precedence);
      if (this.#is('let')) return this.#let();
      if (this.#is('if')) return this.#if();
      return this.#conditions(this.#operations(0));
    } finally {
      this.#depth -= 1;
    }
  }

  #operations(precedence: number): ExprNode {
    let left = this.#primary();
    for (let previous = ''; this.#token.kind === 'operator'; ) {
      const start = this.#position;
      const isNegated = this.#accept('not');
      const { text: operator, at } = this.#token;
      if (isNegated && !negatable.has(operator)) throw this.#unexpected();
      const found = binary[operator];
      if (!found || found.precedence < precedence) {
        this.#position = start;
        break;
      }
      this.#next();
      if (previous === '??' && operator !== '??' && operator !== '|')
        throw invalidExpression(this.#text, at, `put parentheses around ?? beside ${operator}`);
      const node = this.#operation(left, { operator, at, ...found });
      left = isNegated ? this.#made({ is: 'unary', operator: 'not', of: node, at }) : node;
      previous = operator;
    }
    return left;
  }

  #operation(
    left: ExprNode,
    { operator, at, precedence, isRight }: Operator & { operator: string; at: number },
  ): ExprNode {
    if (operator === '|') return this.#call(this.#name(), [left]);
    if (comparisons.has(operator)) return this.#comparison(left, { operator, at, precedence });
    const right = this.#expression(isRight ? precedence : precedence + 1);
    return this.#made({ is: 'binary', operator, left, right, at });
  }

  /** `1 < a < 3` means `1 < a && a < 3`. */
  #comparison(left: ExprNode, first: { operator: string; at: number; precedence: number }): ExprNode {
    let result: ExprNode | undefined;
    let { operator, at } = first;
    for (let from = left; ; ) {
      const right = this.#expression(first.precedence + 1);
      const node = this.#made({ is: 'binary', operator, left: from, right, at });
      result = result ? this.#made({ is: 'binary', operator: '&&', left: result, right: node, at }) : node;
      if (this.#token.kind !== 'operator' || !comparisons.has(this.#token.text)) return result;
      ({ text: operator, at } = this.#next());
      from = right;
    }
  }

  #let(): ExprNode {
    this.#expect('let');
    const { text: name, at } = this.#name();
    this.#expect('=');
    const value = this.#expression(0);
    this.#expect(';');
    return this.#made({ is: 'let', name, value, body: this.#sequence(), at });
  }

  #if(): ExprNode {
    const { at } = this.#next();
    const test = this.#expression(0);
    const then = this.#block();
    this.#expect('else');
    return this.#made({ is: 'condition', test, then, otherwise: this.#block(), at });
  }

  #block(): ExprNode {
    this.#expect('{');
    const body = this.#sequence();
    this.#expect('}');
    return body;
  }

  #conditions(node: ExprNode): ExprNode {
    let test = node;
    while (this.#is('?')) {
      const { at } = this.#next();
      const isShort = this.#accept(':');
      const then = isShort ? test : this.#expression(0);
      if (!isShort) this.#expect(':');
      test = this.#made({ is: 'condition', test, then, otherwise: this.#expression(0), at });
    }
    return test;
  }

  #primary(): ExprNode {
    const { kind, text, at } = this.#token;
    const precedence = kind === 'operator' ? unary[text] : undefined;
    if (precedence !== undefined) {
      this.#next();
      const of = this.#expression(precedence);
      return this.#postfix(this.#made({ is: 'unary', operator: text, of, at }));
    }
    if (this.#accept('(')) {
      const inner = this.#sequence();
      this.#expect(')');
      return this.#postfix(inner);
    }
    if (this.#predicates > 0 && (this.#is('#') || this.#is('.'))) {
      const isNamed = this.#accept('#') && this.#token.kind === 'name';
      const name = isNamed ? this.#next().text : '';
      return this.#postfix(this.#made({ is: 'pointer', name, at }));
    }
    if (this.#accept('::')) return this.#postfix(this.#call(this.#name(), []));
    return this.#literal();
  }

  #literal(): ExprNode {
    const token = this.#token;
    const { kind, text, at } = token;
    if (kind === 'number') return this.#number();
    if (kind === 'string') {
      this.#next();
      return this.#postfix(this.#made({ is: 'constant', value: text, at }));
    }
    if (this.#is('[')) return this.#postfix(this.#list());
    if (this.#is('{')) return this.#postfix(this.#map());
    if (kind !== 'name') throw this.#unexpected();
    this.#next();
    if (text === 'true' || text === 'false')
      return this.#made({ is: 'constant', value: text === 'true', at });
    if (text === 'nil') return this.#made({ is: 'constant', value: null, at });
    return this.#postfix(this.#is('(') ? this.#call(token, []) : this.#made({ is: 'name', name: text, at }));
  }

  #number(): ExprNode {
    const { text, at } = this.#next();
    const clean = text.replaceAll('_', '');
    const isFloat = !/^0[xX]/.test(clean) && /[.eE]/.test(clean);
    // a leading zero is decimal here, not octal
    const value = isFloat ? parseFloatText(clean) : parseInteger(clean.replace(/^0+(?=[0-9])/, ''));
    if (value === undefined || (typeof value === 'bigint' && value >= 2n ** 63n))
      throw invalidExpression(this.#text, at, `${text} is no number, or too large`);
    return this.#made({ is: 'constant', value, at });
  }

  #list(): ExprNode {
    const { at } = this.#next();
    const items: ExprNode[] = [];
    while (!this.#accept(']')) {
      if (items.length > 0) this.#expect(',');
      if (items.length > 0 && this.#accept(']')) break;
      items.push(this.#expression(0));
    }
    return this.#made({ is: 'list', items, at });
  }

  #map(): ExprNode {
    const { at } = this.#next();
    const pairs: [ExprNode, ExprNode][] = [];
    while (!this.#accept('}')) {
      if (pairs.length > 0) this.#expect(',');
      if (pairs.length > 0 && this.#accept('}')) break;
      const key = this.#key();
      this.#expect(':');
      pairs.push([key, this.#expression(0)]);
    }
    return this.#made({ is: 'map', pairs, at });
  }

  #key(): ExprNode {
    const { kind, text, at } = this.#token;
    if (this.#is('(')) return this.#expression(0);
    if (kind !== 'number' && kind !== 'string' && kind !== 'name')
      throw this.#unexpected('a key is a string, a number, a name or an expression in parentheses, not');
    this.#next();
    return this.#made({ is: 'constant', value: text, at });
  }

  #postfix(start: ExprNode): ExprNode {
    let node = start;
    for (;;) {
      if (this.#is('.') || this.#is('?.')) node = this.#member(node);
      else if (this.#is('[')) node = this.#index(node, false);
      else return node;
    }
  }

  #member(node: ExprNode): ExprNode {
    const isOptional = this.#next().text === '?.';
    if (isOptional && this.#is('[')) return this.#index(node, true);
    const { kind, text, at } = this.#token;
    if (kind !== 'name' && !(kind === 'operator' && /^\p{L}+$/u.test(text)))
      throw this.#unexpected('a name is missing before');
    this.#next();
    const of = node.is === 'chain' ? node.of : node;
    const key: ExprNodeOf<'constant'> = this.#made({ is: 'constant', value: text, at });
    const member = this.#made({ is: 'member', of, key, isOptional, at } as const);
    const reached = this.#is('(')
      ? this.#made({ is: 'call', callee: member, args: this.#args(), at } as const)
      : member;
    return isOptional || node.is === 'chain' ? this.#made({ is: 'chain', of: reached, at }) : reached;
  }

  #index(of: ExprNode, isOptional: boolean): ExprNode {
    const { at } = this.#next();
    if (this.#accept(':')) return this.#sliced(of, undefined, at);
    const key = this.#expression(0);
    if (this.#accept(':')) return this.#sliced(of, key, at);
    this.#expect(']');
    const member = this.#made({ is: 'member', of, key, isOptional, at } as const);
    return isOptional ? this.#made({ is: 'chain', of: member, at }) : member;
  }

  #sliced(of: ExprNode, from: ExprNode | undefined, at: number): ExprNode {
    const to = this.#is(']') ? undefined : this.#expression(0);
    this.#expect(']');
    return this.#made({ is: 'slice', of, from, to, at });
  }

  /** A call of a name; a pipe gives its first argument. */
  #call({ text: name, at }: ExprToken, piped: readonly ExprNode[]): ExprNode {
    const wanted = predicates[name];
    if (wanted) {
      const args = this.#predicateArgs(wanted, piped);
      return this.#made({ is: 'builtin', name, args, at });
    }
    const args = [...piped, ...this.#args()];
    if (builtinNames.has(name)) return this.#made({ is: 'builtin', name, args, at });
    const callee = this.#made({ is: 'name', name, at } as const);
    return this.#made({ is: 'call', callee, args, at });
  }

  #args(): ExprNode[] {
    const args: ExprNode[] = [];
    this.#expect('(');
    while (!this.#accept(')')) {
      if (args.length > 0) this.#expect(',');
      if (args.length > 0 && this.#accept(')')) break;
      args.push(this.#expression(0));
    }
    return args;
  }

  #predicateArgs(
    wanted: readonly ('predicate' | 'predicate?' | 'value?')[],
    piped: readonly ExprNode[],
  ): ExprNode[] {
    const args = [...piped];
    this.#expect('(');
    if (args.length === 0) args.push(this.#expression(0));
    for (const [index, kind] of wanted.entries()) {
      if (this.#is(')') && kind.endsWith('?')) break;
      if (index > 0 || piped.length === 0) this.#expect(',');
      args.push(kind === 'value?' ? this.#expression(0) : this.#predicate());
    }
    this.#accept(',');
    this.#expect(')');
    return args;
  }

  #predicate(): ExprNode {
    this.#predicates += 1;
    const body = this.#is('{') ? this.#block() : this.#expression(0);
    this.#predicates -= 1;
    return body;
  }
}

const tooLarge = (problem: string): FairleadError =>
  new FairleadError('LimitExceeded', `expression ${problem}`);
