import type { RefreshLevel } from './refresh.ts';

export type GraceOptions = { readonly level: RefreshLevel; readonly now: Date; readonly periodMs: number };

/** What to make of a repository that fails: whether to keep quiet, and since when it is known to fail. */
export type Grace = { readonly excused: boolean; readonly since: number | undefined };

/**
 * compat R-20: the first failure is kept quiet, and so are those that follow within the period. A look that somebody
 * asked for always tells, and remembers nothing. Reset by forgetting `since` after a success.
 */
export function repositoryGrace(since: number | undefined, { level, now, periodMs }: GraceOptions): Grace {
  if (level === 'resolved') return { excused: false, since };
  if (since === undefined) return { excused: true, since: now.getTime() };
  return { excused: now.getTime() - since <= periodMs, since };
}
