import { useEffect, useState } from 'react';
import { type Application, effectiveSources, repositoryKind } from '#base/model';
import { applications, call, type RevisionMetadata } from '#serve/api';
import { useLive, useSend } from './live.tsx';
import type { RevisionRef } from './revisions.ts';
import { useLoad } from './use-load.ts';

const isCommit = (revision: string | undefined): boolean => /^[0-9a-f]{40}$/.test(revision ?? '');

/**
 * The author, date and message of a revision; undefined until fetched, and for ever where the server has
 * none. A row of a list that is scrolled has it fetched once it has stayed.
 */
export function useRevision(
  app: Application,
  wanted: string | undefined,
  isRow = false,
): RevisionMetadata | undefined {
  const { revisions } = useLive();
  const revision = isCommit(wanted) ? wanted : undefined; // the version of a chart has no author
  const [, redraw] = useState(0);
  const { namespace = '', name } = app.metadata;
  const repo = effectiveSources(app.spec)[0]?.repoURL ?? '';
  useEffect(() => {
    if (!revision) return;
    const ref: RevisionRef = { namespace, name, repo, revision };
    if (revisions.known(ref)) return;
    const gone = new AbortController();
    const requested = isRow ? revisions.requestOnceSettled(ref, gone.signal) : revisions.request(ref);
    requested.then(() => gone.signal.aborted || redraw((count) => count + 1)).catch(() => {}); // the revision is shown without its message
    return () => gone.abort();
  }, [revisions, namespace, name, repo, revision, isRow]);
  return revision ? revisions.known({ namespace, name, repo, revision }) : undefined;
}

/**
 * The newest commit of the target revision, for an application that cannot be rendered at it; fetched again for each
 * `error`, which therefore includes the time of the comparison: the same error may be that of another commit.
 */
export function useNewestCommit(app: Application, error: string | undefined): RevisionMetadata | undefined {
  const send = useSend();
  const { namespace = '', name } = app.metadata;
  const [source] = effectiveSources(app.spec);
  const isGit = error !== undefined && source !== undefined && repositoryKind(source) === 'git';
  const { data } = useLoad(`${namespace}/${name}`, isGit ? error : '', async (signal) => {
    if (!isGit) return undefined;
    const revision = source.targetRevision || 'HEAD';
    return call(send, applications.revision, {
      params: { name, revision },
      query: { appNamespace: namespace },
      signal,
    });
  });
  return isGit ? data : undefined;
}
