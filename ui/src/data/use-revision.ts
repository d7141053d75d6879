import { useEffect, useState } from 'react';
import { type Application, effectiveSources } from '#base/model';
import type { RevisionMetadata } from '#serve/api';
import { useLive } from './live.tsx';
import type { RevisionRef } from './revisions.ts';

const isCommit = (revision: string | undefined): boolean => /^[0-9a-f]{40}$/.test(revision ?? '');

/**
 * The author, date and message of a revision; undefined until fetched, and for ever where the server has
 * none.
 */
export function useRevision(app: Application, wanted: string | undefined): RevisionMetadata | undefined {
  const { revisions } = useLive();
  const revision = isCommit(wanted) ? wanted : undefined; // the version of a chart has no author
  const [, redraw] = useState(0);
  const { namespace = '', name } = app.metadata;
  const repo = effectiveSources(app.spec)[0]?.repoURL ?? '';
  useEffect(() => {
    if (!revision) return;
    const ref: RevisionRef = { namespace, name, repo, revision };
    if (revisions.known(ref)) return;
    let isOpen = true;
    revisions
      .ask(ref)
      .then(() => isOpen && redraw((count) => count + 1))
      .catch(() => {}); // the revision is shown without its message
    return () => {
      isOpen = false;
    };
  }, [revisions, namespace, name, repo, revision]);
  return revision ? revisions.known({ namespace, name, repo, revision }) : undefined;
}
