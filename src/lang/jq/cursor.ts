import type { FairleadError } from '#base/std';
import { type JqStringPart, type JqToken, Lexer, type TokenKind } from './lex.ts';

/** Each link of a chain is one level of what is compiled: where the stack ends depends on the machine, this does not. */
const mostLinks = 2_000;

/** A position in the tokens of an expression, one token ahead. */
export class Cursor {
  readonly #lexer: Lexer;
  #token: JqToken;
  #depth = 0;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
    this.#token = this.#lexer.next();
  }

  get token(): JqToken {
    return this.#token;
  }

  /** Moves on and returns what was there. */
  take(): JqToken {
    const token = this.#token;
    this.#token = this.#lexer.next();
    return token;
  }

  /** Whether the token is this sign or keyword. */
  sees(text: string): boolean {
    const { kind } = this.#token;
    return this.#token.text === text && (kind === 'sign' || kind === 'keyword');
  }

  /** Moves on if the token is this sign or keyword. */
  skip(text: string): boolean {
    if (!this.sees(text)) return false;
    this.take();
    return true;
  }

  expect(text: string): void {
    if (!this.skip(text)) throw this.fault(`expected ${JSON.stringify(text)}`);
  }

  expectKind(kind: TokenKind, what: string): JqToken {
    if (this.#token.kind !== kind) throw this.fault(`expected ${what}`);
    return this.take();
  }

  /** The next piece of the string whose quote, or whose interpolation's closing bracket, is the token. */
  chunk(): JqStringPart {
    const chunk = this.#lexer.chunk();
    this.#token = this.#lexer.next();
    return chunk;
  }

  /** Runs `parse` one level deeper. Brackets in brackets end somewhere, so that no expression exhausts the stack. */
  nest<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > 500) throw this.fault('nested too deeply');
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  /** Throws where a chain such as `.a.b.c` or `1 + 2 + 3` has more than its share of links. */
  link(links: number): void {
    if (links > mostLinks) throw this.fault(`chained more than ${mostLinks} times`);
  }

  fault(problem: string): FairleadError {
    return this.#lexer.fault(this.#token.at, problem);
  }
}
