import { FairleadError } from '#base/std';

/** An expression that cannot be read: what is wrong, and where. */
export function invalidExpression(text: string, at: number, problem: string): FairleadError {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const place = line === 1 ? `column ${column}` : `line ${line}, column ${column}`;
  return new FairleadError('InvalidSpec', `expression: ${problem} at ${place}`);
}

/** What fails while an expression runs, in its own words. The caller of `run` gets it as RenderFailed. */
export class ExprError extends Error {}
