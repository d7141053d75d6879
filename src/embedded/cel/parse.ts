import { type CelToken, lex } from './lex.ts';
import { readNumber, readQuoted } from './literal.ts';
import { expandGlobal, expandMember } from './macros.ts';
import { type Issue, Unparsable } from './source.ts';
import { call, constant, type Expr, ident, type MapEntry, operators } from './syntax.ts';
import { CelError } from './value.ts';

const maxDepth = 250;
const maxLength = 100_000;

const reserved = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(
    ' ',
  ),
);
const operands =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Parses an expression and expands its macros. With issues the tree is invalid. */
export function parse(source: string): { readonly expr: Expr; readonly issues: readonly Issue[] } {
  const nothing = constant(0, null);
  const length = [...source].length;
  if (length > maxLength) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxLength}`;
    return { expr: nothing, issues: [{ at: 0, message }] };
  }
  const issues: Issue[] = [];
  try {
    const expr = new Parser(lex(source, issues), issues).whole();
    return { expr, issues };
  } catch (error) {
    if (!(error instanceof Unparsable)) throw error;
    return { expr: nothing, issues: [...issues, error.issue] };
  }
}

class Parser {
  readonly #tokens: readonly CelToken[];
  readonly #issues: Issue[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly CelToken[], issues: Issue[]) {
    this.#tokens = tokens;
    this.#issues = issues;
  }

  whole(): Expr {
    const expr = this.#expression();
    if (this.#peek().is === 'end') return expr;
    const isLast = this.#peek(1).is === 'end';
    throw this.#syntax(
      `${isLast ? 'extraneous' : 'mismatched'} input '${this.#peek().text}' expecting <EOF>`,
    );
  }

  #peek(ahead = 0): CelToken {
    return this.#tokens[this.#next + ahead] ?? (this.#tokens.at(-1) as CelToken);
  }

  #take(): CelToken {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #is(text: string): boolean {
    const token = this.#peek();
    return token.is === 'op' && token.text === text;
  }

  #accept(text: string): CelToken | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  #expect(text: string, others: readonly string[] = []): CelToken {
    const found = this.#accept(text);
    if (found) return found;
    const token = this.#peek();
    if (others.length > 0) {
      const wanted = [text, ...others].map((one) => `'${one}'`).join(', ');
      throw this.#syntax(`mismatched input '${token.text}' expecting {${wanted}}`);
    }
    throw this.#syntax(`missing '${text}' at '${token.text}'`);
  }

  #syntax(message: string, at = this.#peek().at): Unparsable {
    return new Unparsable({ at, message: `Syntax error: ${message}` });
  }

  /** Reports an error and continues, so that an author sees more than the first mistake. */
  #report(at: number, message: string): void {
    this.#issues.push({ at, message });
  }

  #expression(): Expr {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      throw new Unparsable({
        at: this.#peek().at,
        message: `expression recursion limit exceeded: ${maxDepth}`,
      });
    }
    const condition = this.#logical('||', operators.or, () =>
      this.#logical('&&', operators.and, () => this.#relation()),
    );
    const question = this.#accept('?');
    let expr = condition;
    if (question) {
      const yes = this.#logical('||', operators.or, () =>
        this.#logical('&&', operators.and, () => this.#relation()),
      );
      this.#expect(':');
      expr = call(question.at, operators.choose, condition, yes, this.#expression());
    }
    this.#depth -= 1;
    return expr;
  }

  /** Long chains become balanced trees, so that neither depth nor evaluation order depends on their length. */
  #logical(symbol: string, name: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const ops: number[] = [];
    for (let op = this.#accept(symbol); op; op = this.#accept(symbol)) {
      ops.push(op.at);
      terms.push(operand());
    }
    return balanced(name, terms, ops);
  }

  #relation(): Expr {
    let left = this.#additive();
    for (;;) {
      const token = this.#peek();
      const isIn = token.is === 'ident' && token.text === 'in';
      if (!isIn && !(token.is === 'op' && /^(?:[<>]=?|[=!]=)$/.test(token.text))) return left;
      this.#take();
      const name = isIn ? operators.in : `_${token.text}_`;
      left = call(token.at, name, left, this.#additive());
    }
  }

  #additive(): Expr {
    return this.#leftward(['+', '-'], () => this.#leftward(['*', '/', '%'], () => this.#unary()));
  }

  #leftward(symbols: readonly string[], operand: () => Expr): Expr {
    let left = operand();
    for (;;) {
      const token = this.#peek();
      if (token.is !== 'op' || !symbols.includes(token.text)) return left;
      this.#take();
      left = call(token.at, `_${token.text}_`, left, operand());
    }
  }

  #unary(): Expr {
    const token = this.#peek();
    if (token.is !== 'op' || (token.text !== '!' && token.text !== '-')) return this.#member();
    if (token.text === '-' && this.#peek(1).is === 'number') return this.#member();
    let count = 0;
    while (this.#accept(token.text)) count += 1;
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return call(token.at, token.text === '!' ? operators.not : operators.negate, operand);
  }

  #member(): Expr {
    let expr = this.#primary();
    for (let length = 0; ; length++) {
      if (length > maxDepth * 4) throw this.#syntax('expression is too long');
      const dot = this.#accept('.');
      const open = dot ? undefined : this.#accept('[');
      if (dot) expr = this.#afterDot(expr, dot);
      else if (open) expr = this.#index(expr, open);
      else return expr;
    }
  }

  #index(operand: Expr, open: CelToken): Expr {
    const isOptional = this.#accept('?') !== undefined;
    const index = this.#expression();
    this.#expect(']');
    return call(open.at, isOptional ? operators.optionalIndex : operators.index, operand, index);
  }

  #afterDot(operand: Expr, dot: CelToken): Expr {
    const isOptional = this.#accept('?') !== undefined;
    const token = this.#peek();
    if (token.is !== 'ident' && token.is !== 'quoted-ident') {
      throw this.#syntax(
        `no viable alternative at input '${dot.text}${token.is === 'end' ? '' : token.text}'`,
      );
    }
    this.#take();
    if (token.is === 'quoted-ident') this.#report(token.at, "unsupported syntax: '`'");
    const field = token.text;
    if (isOptional) return call(dot.at, operators.optionalSelect, operand, constant(token.at, field));
    const open = this.#accept('(');
    if (!open) return { is: 'select', at: dot.at, operand, field, test: false };
    const args = this.#arguments();
    const expanded = expandMember({ at: open.at, name: field, target: operand, args }, (at, message) =>
      this.#report(at, message),
    );
    return expanded ?? { is: 'call', at: open.at, name: field, target: operand, args };
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#accept(')')) return args;
    do args.push(this.#expression());
    while (this.#accept(','));
    this.#expect(')', [',']);
    return args;
  }

  #primary(): Expr {
    const token = this.#peek();
    switch (token.is) {
      case 'number':
        return this.#number(this.#take(), '');
      case 'string':
        return this.#string(this.#take());
      case 'ident':
        return this.#name(this.#take(), '');
      case 'op':
        return this.#bracketed(token);
      default:
        throw this.#noOperand(token);
    }
  }

  #noOperand(token: CelToken): Unparsable {
    const after = this.#peek(1);
    const startsOne = after.is === 'number' || after.is === 'string' || after.is === 'ident';
    const how = token.is !== 'end' && startsOne ? 'extraneous' : 'mismatched';
    return this.#syntax(`${how} input '${token.text}' expecting ${operands}`);
  }

  #bracketed(token: CelToken): Expr {
    switch (token.text) {
      case '(': {
        this.#take();
        const expr = this.#expression();
        this.#expect(')');
        return expr;
      }
      case '[':
        return this.#list(this.#take());
      case '{':
        return this.#map(this.#take());
      case '-':
        if (this.#peek(1).is !== 'number') throw this.#noOperand(token);
        this.#take();
        return this.#number(this.#take(), '-');
      case '.':
        if (this.#peek(1).is === 'ident') {
          this.#take();
          return this.#name(this.#take(), '.');
        }
        throw this.#noOperand(token);
      default:
        throw this.#noOperand(token);
    }
  }

  #number(token: CelToken, sign: string): Expr {
    const value = readNumber(sign + token.text);
    if (!(value instanceof CelError)) return constant(sign ? token.at - 1 : token.at, value);
    this.#report(token.at - sign.length, value.message);
    return constant(token.at, 0n);
  }

  #string(token: CelToken): Expr {
    const value = readQuoted(token.text);
    if (value !== undefined) return constant(token.at, value);
    throw this.#syntax(`token recognition error at: '${token.text.slice(0, -1)}'`, token.at);
  }

  #name(token: CelToken, dot: string): Expr {
    const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
    if (dot === '' && Object.hasOwn(literals, token.text))
      return constant(token.at, literals[token.text] ?? null);
    const open = this.#accept('(');
    if (reserved.has(token.text)) {
      this.#report(token.at, `reserved identifier: ${token.text}`);
    }
    if (open) {
      const args = this.#arguments();
      const expanded = expandGlobal({ at: open.at, name: token.text, args }, (at, message) =>
        this.#report(at, message),
      );
      return expanded ?? call(open.at, token.text, ...args);
    }
    const brace = this.#structAhead() ? this.#take() : undefined;
    if (!brace) return ident(token.at, token.text);
    this.#fields();
    return { is: 'struct', at: brace.at, name: token.text };
  }

  #structAhead(): boolean {
    return this.#is('{');
  }

  #fields(): void {
    while (!this.#accept('}')) {
      this.#accept('?');
      this.#take();
      this.#expect(':');
      this.#expression();
      if (!this.#is('}')) this.#expect(',', ['}']);
    }
  }

  #list(open: CelToken): Expr {
    const items: Expr[] = [];
    const optional = new Set<number>();
    while (!this.#accept(']')) {
      if (this.#accept('?')) optional.add(items.length);
      items.push(this.#expression());
      if (!this.#is(']')) this.#separator(']');
    }
    return { is: 'list', at: open.at, items, optional };
  }

  #separator(close: string): void {
    if (this.#accept(',')) return;
    throw this.#syntax(`mismatched input '${this.#peek().text}' expecting {'${close}', ','}`);
  }

  #map(open: CelToken): Expr {
    const entries: MapEntry[] = [];
    while (!this.#accept('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      const colon = this.#expect(':');
      entries.push({ at: colon.at, key, value: this.#expression(), optional });
      if (!this.#is('}')) this.#separator('}');
    }
    return { is: 'map', at: open.at, entries };
  }
}

function balanced(name: string, terms: readonly Expr[], ops: readonly number[]): Expr {
  if (terms.length === 1) return terms[0] as Expr;
  const middle = Math.floor((ops.length - 1) / 2);
  const left = balanced(name, terms.slice(0, middle + 1), ops.slice(0, middle));
  const right = balanced(name, terms.slice(middle + 1), ops.slice(middle + 1));
  return call(ops[middle] ?? 0, name, left, right);
}
