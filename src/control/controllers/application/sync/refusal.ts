import { annotation } from '#base/model';
import { abridge, FairleadError } from '#base/std';
import type { SyncTask } from '#engine';
import { hasReason } from '#kubernetes/client';
import { containsOtherObjects } from './recreate.ts';

/** API servers print whole templates; beyond this nobody reads on. */
const longest = 4_000;

/** What is told of an object that the cluster would not take: its own words, and what helps where we know that. */
export function explainRefusal(error: unknown, task: Pick<SyncTask, 'target' | 'mode'>): string {
  const { message } = FairleadError.from(error);
  const said = abridge(message, longest);
  // what was applied last is noted on the object, where there is room for 256 KB
  if (message.includes('metadata.annotations: Too long'))
    return `${said}; set the sync option ServerSideApply=true or Replace=true for it`;
  const options = isFixed(error, message) ? renewing(task) : undefined;
  if (!options) return said;
  return `${said}; it cannot be changed in place: annotate it with ${annotation.syncOptions}: ${options} to have it deleted and made anew`;
}

/** The words of API servers for a field that stays as it was made. */
const fixed =
  /\bimmutable\b|(?:cannot|may not) (?:be )?changed?\b|fields other than|updates to .{1,80} are forbidden/i;

const isFixed = (error: unknown, message: string): boolean =>
  hasReason(error, 'Invalid', 'Forbidden', 'BadRequest') && fixed.test(message);

/**
 * compat S-28, S-29: the options that make an object anew; undefined: nobody should, or it is done already. Force alone does
 * so only when it must, and excludes server-side apply, which Replace beats.
 */
function renewing({ target, mode }: Pick<SyncTask, 'target' | 'mode'>): string | undefined {
  if (!target || mode.force || containsOtherObjects(target)) return undefined;
  return mode.verb === 'apply' ? 'Force=true' : 'Force=true,Replace=true';
}
