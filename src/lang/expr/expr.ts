import { FairleadError, Lru } from '#base/std';
import { GoError } from '#lang/go-template';
import { compile } from './compile.ts';
import { ExprError } from './errors.ts';
import { type Closed, type ExprOptions, ExprRun } from './evaluation.ts';
import { parse } from './parse.ts';
import { plainOf } from './value.ts';

const maxText = 20_000;
const compiled = new Lru<CompiledExpr>({ capacity: 1_000 });

/** Throws InvalidSpec with the place, LimitExceeded for a text that is too long. Compiled texts are cached. */
export function compileExpr(text: string): CompiledExpr {
  const known = compiled.get(text);
  if (known) return known;
  if (text.length > maxText) {
    throw new FairleadError(
      'LimitExceeded',
      `expression of ${text.length} characters is longer than ${maxText}`,
    );
  }
  const expr = new CompiledExpr(text);
  compiled.set(text, expr);
  return expr;
}

/** A compiled expression; made by compileExpr. */
export class CompiledExpr {
  readonly text: string;
  readonly #run: Closed;

  constructor(text: string) {
    this.text = text;
    this.#run = compile(parse(text), { text, variables: [] });
  }

  /**
   * The result as plain data. The environment is not changed. Throws RenderFailed when the expression fails in this
   * environment, LimitExceeded when it costs too much.
   */
  run(environment: Readonly<Record<string, unknown>>, options: ExprOptions = {}): unknown {
    try {
      return plainOf(this.#run(new ExprRun(environment, options)));
    } catch (error) {
      if (error instanceof ExprError || error instanceof GoError)
        throw new FairleadError('RenderFailed', `expression: ${error.message}`, error);
      if (error instanceof RangeError)
        throw new FairleadError('LimitExceeded', 'expression makes something too large', error);
      throw error;
    }
  }
}
