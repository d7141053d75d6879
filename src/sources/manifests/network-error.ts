import { FairleadError } from '#base/std';

const outside = new WeakSet<FairleadError>();

/** Whether an error came from the network and may therefore be transient. */
export const isNetworkError = (error: unknown): boolean =>
  error instanceof FairleadError && outside.has(error);

/** Marks an error as coming from the network. */
export function markNetworkError<Thrown>(error: Thrown): Thrown {
  if (error instanceof FairleadError) outside.add(error);
  return error;
}
