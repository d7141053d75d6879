import { type GoType, types } from './go-type.ts';
import {
  type CallContext,
  GoFunction,
  type GoInt,
  type GoList,
  type GoMap,
  type GoObject,
  type Value,
} from './value.ts';

/** Functions by the name that templates call. */
export type TemplateFunctions = ReadonlyMap<string, GoFunction>;

/** The parameters that a signature can name, and what a function receives for them. */
type Arguments = {
  string: string;
  int: bigint;
  int64: GoInt;
  uint32: GoInt;
  float64: number;
  bool: boolean;
  any: Exclude<Value, undefined>;
  raw: Value;
  map: GoMap;
  anys: GoList;
  strings: GoList;
  time: GoObject;
};

const named: Readonly<Record<keyof Arguments, GoType>> = types;

type ArgumentsOf<S extends string> = S extends `${infer Head} ${infer Rest}`
  ? [Argument<Head>, ...ArgumentsOf<Rest>]
  : S extends `...${infer Last}`
    ? Argument<Last>[]
    : S extends ''
      ? []
      : [Argument<S>];
type Argument<S extends string> = S extends keyof Arguments ? Arguments[S] : never;

/**
 * A function of Go with the given parameters, as in `fn('string ...any', (run, format, ...args) => …)`. A GoError that
 * it throws is the error that it returns.
 */
export function fn<S extends string>(
  signature: S,
  call: (run: CallContext, ...args: ArgumentsOf<S>) => Value,
): GoFunction {
  const words = signature === '' ? [] : signature.split(' ');
  const variadic = words.at(-1)?.startsWith('...') ?? false;
  const params = words.map((word) => named[word.replace('...', '') as keyof Arguments]);
  return new GoFunction(params, variadic, (run, args) => call(run, ...(args as unknown as ArgumentsOf<S>)));
}
