import { type Application, effectiveSources, hasMultipleSources, isAutomated } from '#base/model';
import type { SyncWindows } from '#serve/api';

/** The terms of the command line for an application, in one file so that list, get and wait agree. */

export function nameOf({ metadata }: Application): string {
  return `${metadata.namespace ?? 'argocd'}/${metadata.name}`;
}

/** compat: `Manual`, `Auto`, `Auto-Prune`. */
export function policyOf({ spec }: Application): string {
  const automated = spec.syncPolicy?.automated;
  if (!automated || automated.enabled === false) return 'Manual';
  return automated.prune ? 'Auto-Prune' : 'Auto';
}

export function policyInWords(app: Application): string {
  const words = { Manual: 'Manual', Auto: 'Automated', 'Auto-Prune': 'Automated (Prune)' };
  return words[policyOf(app) as keyof typeof words];
}

/** `Synced to HEAD (53e28ff)`; of several sources, each with its own. */
export function syncInWords({ spec, status }: Application): string {
  const { status: code = 'Unknown', revision, revisions } = status?.sync ?? {};
  const at = hasMultipleSources(spec) ? (revisions ?? []) : revision ? [revision] : [];
  if (at.length === 0) return code;
  const sources = effectiveSources(spec);
  const each = at.map((one, i) => `${sources[i]?.targetRevision || 'HEAD'} (${short(one)})`);
  return `${code} ${code === 'Synced' ? 'to' : 'from'} ${each.join(', ')}`;
}

/** compat: whether syncs may begin, then each window in short; after that what blocks an automated sync. */
export function windowsInWords(
  { spec }: Application,
  { assignedWindows = [], canSync, held }: SyncWindows,
): (readonly [string, string])[] {
  if (canSync === undefined) return [];
  const verdict = held === undefined ? 'Sync Allowed' : canSync ? 'Manual Allowed' : 'Sync Denied';
  const assigned = assignedWindows.map((window, i) => {
    const { kind, schedule, duration } = window;
    return [i === 0 ? 'Assigned Windows' : '', `${kind}:${schedule}:${duration}`] as const;
  });
  const waits = held !== undefined && isAutomated(spec) ? [['Automated Sync', held] as const] : [];
  return [['SyncWindow', verdict], ...assigned, ...waits];
}

export function healthInWords({ status }: Application): string {
  return status?.health?.status ?? 'Unknown';
}

/** compat: condition types with how often each occurs, or `<none>`. */
export function conditionsInWords({ status }: Application): string {
  const counts = new Map<string, number>();
  for (const { type } of status?.conditions ?? []) counts.set(type, (counts.get(type) ?? 0) + 1);
  const words = [...counts].map(([type, count]) => (count > 1 ? `${type}(${count})` : type));
  return words.join(',') || '<none>';
}

export const short = (revision: string): string =>
  /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision;
