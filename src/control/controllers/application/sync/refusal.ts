import { annotation } from '#base/model';
import { abridge, FairleadError } from '#base/std';
import type { SyncTask } from '#engine';
import { hasReason } from '#kubernetes/client';
import { containsOtherObjects } from './recreate.ts';

/** API servers print whole templates; longer messages are truncated. */
const longest = 4_000;

/** The message for an object that the cluster rejected: the API server's words, and what to do where that is known. */
export function explainRefusal(error: unknown, task: Pick<SyncTask, 'target' | 'mode'>): string {
  const { message } = FairleadError.from(error);
  const said = abridge(message, longest);
  // the last-applied configuration is an annotation, and annotations are limited to 256 KB
  if (message.includes('metadata.annotations: Too long'))
    return `${said}; set the sync option ServerSideApply=true or Replace=true for it`;
  const options = isFixed(error, message) ? renewing(task) : undefined;
  if (!options) return said;
  return `${said}; it cannot be changed in place: annotate it with ${annotation.syncOptions}: ${options} to have it deleted and recreated`;
}

/** The API servers' messages for an immutable field. */
const fixed =
  /\bimmutable\b|(?:cannot|may not) (?:be )?changed?\b|fields other than|updates to .{1,80} are forbidden/i;

const isFixed = (error: unknown, message: string): boolean =>
  hasReason(error, 'Invalid', 'Forbidden', 'BadRequest') && fixed.test(message);

/**
 * compat engine S-28, S-29: the options that recreate an object; undefined: it must not be recreated, or they are set
 * already. Force alone recreates only if it must, and excludes server-side apply, which Replace overrides.
 */
function renewing({ target, mode }: Pick<SyncTask, 'target' | 'mode'>): string | undefined {
  if (!target || mode.force || containsOtherObjects(target)) return undefined;
  return mode.verb === 'apply' ? 'Force=true' : 'Force=true,Replace=true';
}
