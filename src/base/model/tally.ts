/** How much of a sync is through. */
export type Tally = { readonly done: number; readonly total: number };

/** A message of a running sync with how far it is: hooks of later phases are in no list yet, but they are counted. */
export const withTally = (message: string, { done, total }: Tally): string =>
  `${message}; ${done} of ${total} done`;

/** The tally that withTally() wrote into a message; undefined: none. */
export function tallyIn(message: string | undefined): Tally | undefined {
  const [, done, total] = /; (\d+) of (\d+) done$/.exec(message ?? '') ?? [];
  return done === undefined ? undefined : { done: Number(done), total: Number(total) };
}
