import { FairleadError } from '#base/std';

/** Throws InvalidSpec when fields that change where credentials go meet stored credentials that the request does not give again. */
export function refuseRedirected(elsewhere: readonly string[], stored: readonly string[]): void {
  if (stored.length > 0 && elsewhere.length > 0)
    throw new FairleadError(
      'InvalidSpec',
      `${elsewhere.join(', ')} would send the stored ${stored.join(', ')} another way: give it again, or null to remove it`,
    );
}
