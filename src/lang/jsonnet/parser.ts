import { JsonnetError, type SourceText } from './fault.ts';
import { type JsonnetToken, lex } from './lex.ts';
import type { JsonnetKinds, JsonnetNode, JsonnetNodeOf } from './syntax.ts';

const unresolved = (): never => {
  throw new JsonnetError('a program was run before its names were resolved');
};

/** Nesting a text may have: beyond it the parser itself would run out of stack. */
const deepest = 500;

/** Tokens under a cursor, and the making of nodes. The grammar is in parse.ts. */
export class Parser {
  readonly source: SourceText;
  readonly #tokens: readonly JsonnetToken[];
  readonly #rule: (p: Parser) => JsonnetNode;
  #next = 0;
  #depth = 0;

  constructor(source: SourceText, rule: (p: Parser) => JsonnetNode) {
    this.source = source;
    this.#rule = rule;
    this.#tokens = lex(source);
  }

  peek(ahead = 0): JsonnetToken {
    const last = this.#tokens.length - 1;
    return this.#tokens[Math.min(this.#next + ahead, last)] as JsonnetToken;
  }

  take(): JsonnetToken {
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

  expect(text: string): JsonnetToken {
    if (!this.is(text)) throw this.unexpected(`"${text}"`);
    return this.take();
  }

  expectName(what: string): JsonnetToken {
    if (this.peek().kind !== 'name') throw this.unexpected(what);
    return this.take();
  }

  unexpected(wanted: string): JsonnetError {
    const { kind, text } = this.peek();
    const found = kind === 'end' ? text : kind === 'string' ? 'a string' : `"${text}"`;
    return this.fault(`expected ${wanted}, found ${found}`);
  }

  fault(message: string, at = this.peek().at): JsonnetError {
    return new JsonnetError(message, { source: this.source, at });
  }

  node<K extends keyof JsonnetKinds>(kind: K, at: number, rest: JsonnetKinds[K]): JsonnetNode {
    return {
      kind,
      source: this.source,
      at,
      code: unresolved,
      ...(rest as object),
    } as JsonnetNodeOf<K> as JsonnetNode;
  }

  /** A whole expression. */
  expression(): JsonnetNode {
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
