import { apply, type Filter, many, native } from '../filter.ts';
import { JqError, type Run } from '../run.ts';
import { article } from '../step.ts';
import type { JsonValue } from '../value.ts';

/** Makes the filter of a call from the filters of its arguments. */
export type JqBuiltin = (args: readonly Filter[]) => Filter;

/** Functions by name and number of arguments, as in `has/1`. */
export type Natives = Readonly<Record<string, JqBuiltin>>;

export const nothing: Filter = many(() => []);

/** A function of the input alone. */
export const ofInput =
  (compute: (run: Run, input: JsonValue) => JsonValue): JqBuiltin =>
  () =>
    native(compute);

/** A function of the input and one evaluated argument. */
export const ofOne =
  (compute: (run: Run, input: JsonValue, arg: JsonValue) => JsonValue): JqBuiltin =>
  (args) =>
    apply(args, (run, input, [arg = null]) => compute(run, input, arg));

export function textFor(name: string, value: JsonValue): string {
  if (typeof value === 'string') return value;
  throw new JqError(`${name} needs a string, not ${article(value)}`);
}

export function listFor(name: string, value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw new JqError(`${name} needs an array, not ${article(value)}`);
}
