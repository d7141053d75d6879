import type { RefreshLevel } from './refresh.ts';

export type GraceOptions = { readonly level: RefreshLevel; readonly now: Date; readonly periodMs: number };

/** The policy for a failing repository: whether to suppress the error, and since when it has failed. */
export type Grace = { readonly excused: boolean; readonly since: number | undefined };

/**
 * compat engine R-20: suppresses the first failure, and those that follow within the period. A refresh that a
 * user requested always reports, and records nothing. Reset by dropping `since` after a success.
 */
export function repositoryGrace(since: number | undefined, { level, now, periodMs }: GraceOptions): Grace {
  if (level === 'resolved') return { excused: false, since };
  if (since === undefined) return { excused: true, since: now.getTime() };
  return { excused: now.getTime() - since <= periodMs, since };
}
