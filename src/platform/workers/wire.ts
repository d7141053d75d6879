import { type ErrorCode, FairleadError } from '#base/std';

/** Pool to worker: run this. */
export type WorkerCall = { readonly name: string; readonly args: readonly unknown[] };

/** Worker to pool. `load` is sent once, when the module is loaded; each call gets one of the others. */
export type Reply =
  | { readonly did: 'load' }
  | { readonly did: 'return'; readonly value: unknown }
  | ({ readonly did: 'throw' } & Failure);

type Failure = { readonly code: ErrorCode; readonly message: string; readonly stack: string | undefined };

/** The parts of an error that are sent. A function that recursed too deep exceeded a limit, whatever it was working on. */
export function failureOf(thrown: unknown, name: string): Failure {
  if (thrown instanceof RangeError && thrown.message.includes('call stack')) {
    return {
      code: 'LimitExceeded',
      message: `${name} was given something nested too deeply`,
      stack: undefined,
    };
  }
  const error = FairleadError.from(thrown);
  const { cause } = error;
  const stack = cause instanceof Error ? `${error.stack}\ncaused by ${cause.stack}` : error.stack;
  return { code: error.code, message: error.message, stack };
}

/** The same error on this side, with its stack from the other; that is for logs, never for users. */
export function errorOf({ code, message, stack }: Failure): FairleadError {
  const error = new FairleadError(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
