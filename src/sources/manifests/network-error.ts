import { FairleadError } from '#base/std';

const outside = new WeakSet<FairleadError>();

/** Whether an error came from the network, and may not come again from the same files. */
export const isNetworkError = (error: unknown): boolean =>
  error instanceof FairleadError && outside.has(error);

/** Says of an error that it came from the network. */
export function markNetworkError<Thrown>(error: Thrown): Thrown {
  if (error instanceof FairleadError) outside.add(error);
  return error;
}
