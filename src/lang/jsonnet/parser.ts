import { Fault, type SourceText } from './fault.ts';
import { lex, type Token } from './lex.ts';
import type { Kinds, Node, NodeOf } from './syntax.ts';

const unresolved = (): never => {
  throw new Fault('a program was run before its names were resolved');
};

/** Nesting a text may have: beyond it the parser itself would run out of stack. */
const deepest = 500;

/** Tokens under a cursor, and the making of nodes. The grammar is in parse.ts. */
export class Parser {
  readonly source: SourceText;
  readonly #tokens: readonly Token[];
  readonly #rule: (p: Parser) => Node;
  #next = 0;
  #depth = 0;

  constructor(source: SourceText, rule: (p: Parser) => Node) {
    this.source = source;
    this.#rule = rule;
    this.#tokens = lex(source);
  }

  peek(ahead = 0): Token {
    const last = this.#tokens.length - 1;
    return this.#tokens[Math.min(this.#next + ahead, last)] as Token;
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** The next token is this symbol or keyword. */
  is(text: string): boolean {
    const { kind, text: found } = this.peek();
    return (kind === 'symbol' || kind === 'keyword') && found === text;
  }

  /** Takes the next token when it is this symbol or keyword. */
  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#next += 1;
    return true;
  }

  expect(text: string): Token {
    if (!this.is(text)) throw this.unexpected(`"${text}"`);
    return this.take();
  }

  expectName(what: string): Token {
    if (this.peek().kind !== 'name') throw this.unexpected(what);
    return this.take();
  }

  unexpected(wanted: string): Fault {
    const { kind, text } = this.peek();
    const found = kind === 'end' ? text : kind === 'string' ? 'a string' : `"${text}"`;
    return this.fault(`expected ${wanted}, found ${found}`);
  }

  fault(message: string, at = this.peek().at): Fault {
    return new Fault(message, { source: this.source, at });
  }

  node<K extends keyof Kinds>(kind: K, at: number, rest: Kinds[K]): Node {
    return { kind, source: this.source, at, code: unresolved, ...(rest as object) } as NodeOf<K> as Node;
  }

  /** A whole expression. */
  expression(): Node {
    return this.nested(() => this.#rule(this));
  }

  /** Runs a rule that may contain itself. */
  nested<T>(rule: () => T): T {
    this.#depth += 1;
    if (this.#depth > deepest) throw this.fault(`expressions are nested more than ${deepest} deep`);
    const result = rule();
    this.#depth -= 1;
    return result;
  }
}
