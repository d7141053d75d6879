import { type Application, isAutomated } from '#base/model';
import type { SyncWindows } from '#serve/api';
import { isUnderway } from './failing-sync.ts';
import type { Notice } from './notices.ts';

/** The window that blocks syncs now and until when; undefined: automated and manual syncs may begin. */
export function windowNotice(
  { spec, status }: Application,
  { held, canSync }: SyncWindows,
): Notice | undefined {
  const isByItself = isAutomated(spec);
  if (held === undefined || (!isByItself && canSync)) return undefined;
  const why = held.replace(/^sync is blocked: /, '');
  const waits = status?.sync?.status === 'OutOfSync' || isUnderway(status?.operationState);
  const who = isByItself ? `automated sync ${waits ? 'waits' : 'would wait'}` : 'no sync may begin';
  const instead = isByItself && canSync ? '; one by hand may begin' : '';
  return { title: 'Sync window', message: `${who}: ${why}${instead}`, tone: waits ? 'warn' : 'rest' };
}
