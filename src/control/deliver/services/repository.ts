import { FairleadError, type JsonObject } from '#base/std';
import { text } from '../fields.ts';

/** The repository and revision that a message is about, as the template says. */
export type RevisionSubject = { readonly owner: string; readonly path: string; readonly revision: string };

/** Throws InvalidSpec when the template's repoURLPath or revisionPath gave nothing usable. */
export function revisionSubject(part: JsonObject): RevisionSubject {
  const url = text(part, 'repoURLPath').trim();
  const revision = text(part, 'revisionPath').trim();
  const [, scp] = /^[^@/]+@[^:/]+:(?!\/\/)(.+)$/.exec(url) ?? [];
  const path = (scp ?? pathOf(url)).replace(/\.git$/, '').replace(/^\/+|\/+$/g, '');
  const [owner = ''] = path.split('/');
  if (!/^[\w.-]+(\/[\w.-]+)+$/.test(path) || path.split('/').some((one) => one === '..' || one === '.'))
    throw new FairleadError('InvalidSpec', 'repoURLPath gives no repository with an owner');
  if (!/^[0-9a-f]{7,64}$/.test(revision))
    throw new FairleadError(
      'InvalidSpec',
      'revisionPath gives no commit: the application has not been synced, or its source is a chart',
    );
  return { owner, path, revision };
}

function pathOf(url: string): string {
  try {
    return new URL(url).pathname;
  } catch {
    return '';
  }
}
