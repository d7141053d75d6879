import { TemplateLexer, type Token } from './lex.ts';

/** TokenReader with Go's look-ahead of three. */
export class TokenReader {
  readonly #lexer: TemplateLexer;
  readonly #held: [Token, Token, Token];
  #count = 0;

  constructor(text: string) {
    this.#lexer = new TemplateLexer(text);
    const none: Token = { type: 'eof', pos: 0, text: '', line: 1 };
    this.#held = [none, none, none];
  }

  /** The line of the token that was read last, whatever was put back: error messages name it. */
  get line(): number {
    return this.#held[0].line;
  }

  next(): Token {
    if (this.#count > 0) this.#count -= 1;
    else this.#held[0] = this.#lexer.next();
    return this.#held[this.#count] ?? this.#held[0];
  }

  backup(): void {
    this.#count += 1;
  }

  /** Puts back the last token and, before it, these. */
  backupWith(...before: Token[]): void {
    const [second, third] = before.toReversed();
    if (second) this.#held[1] = second;
    if (third) this.#held[2] = third;
    this.#count = before.length + 1;
  }

  peek(): Token {
    if (this.#count > 0) return this.#held[this.#count - 1] ?? this.#held[0];
    this.#count = 1;
    this.#held[0] = this.#lexer.next();
    return this.#held[0];
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.type !== 'space') return token;
    }
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.backup();
    return token;
  }
}
