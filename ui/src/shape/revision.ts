import { type Application, effectiveSources, type Source, withoutUserInfo } from '#base/model';
import type { RevisionMetadata } from '#serve/api';

/** A commit is forty hex digits; anything else, such as a chart's version, is already short. */
export const isCommit = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision);

export const shortRevision = (revision: string): string =>
  isCommit(revision) ? revision.slice(0, 7) : revision;

/** The first line of what the author wrote. */
export function subjectOf({ message = '' }: RevisionMetadata, longest = 72): string {
  const line = message.trim().split('\n')[0] ?? '';
  return line.length > longest ? `${line.slice(0, longest - 1).trimEnd()}…` : line;
}

/** The author without the mail address. */
export const authorOf = ({ author = '' }: RevisionMetadata): string => author.replace(/\s*<.*>$/, '');

/** The revision an application is compared with; of several sources, the first. */
export function revisionOf({ status }: Application): string | undefined {
  return status?.sync?.revision || status?.sync?.revisions?.[0] || undefined;
}

/** What the last sync was of, where that is not what Git has now; empty: the same, or there was none. */
export function syncedInstead({ status }: Application): string {
  const { operation, syncResult } = status?.operationState ?? {};
  const synced = syncResult?.revision || operation?.sync?.revision;
  const compared = status?.sync?.revision;
  return synced && compared && synced !== compared ? `the last sync was of ${shortRevision(synced)}` : '';
}

/** The page of a commit where its host has such pages; undefined otherwise. */
export function commitUrl({ spec }: Application, revision: string): string | undefined {
  const repo = effectiveSources(spec)[0]?.repoURL ?? '';
  const match = /^https:\/\/(?:[^@/]+@)?((?:github|gitlab|codeberg)\.[a-z]+\/.+?)(?:\.git)?\/?$/.exec(repo);
  return match && isCommit(revision) ? `https://${match[1]}/commit/${revision}` : undefined;
}

/** A repository for users: no scheme, no user, no `.git`; of a long path on disk, its end. */
export function repoName(repoURL: string): string {
  const plain = withoutUserInfo(repoURL)
    .replace(/^(?:https?|ssh|git|oci):\/\//, '')
    .replace(/\.git\/?$/, '');
  const local = plain.replace(/^file:\/\//, '');
  if (!local.startsWith('/')) return local;
  const parts = local.split('/').filter((part) => part !== '');
  return parts.length > 2 ? `…/${parts.slice(-2).join('/')}` : local;
}

/** Where in the repository: the path, the chart, or the whole of it. */
export const placeInRepo = ({ path, chart, ref }: Source): string => chart || path || (ref ? `$${ref}` : '.');
