import type { KubeObject } from './kube-object.ts';
import { normalizeRepoUrl } from './repo-url.ts';
import {
  anonymousRepository,
  credentialTemplateFrom,
  hasCredentials,
  type Repository,
  repositoryFrom,
  repositorySecretType,
  templateFor,
  withTemplate,
} from './repository.ts';

/**
 * Credentials that may push. `isShared`: they belong to no project, so more than the project's own rules must permit it; those of a
 * template belong to none, also where a record of the project borrows them.
 */
export type WriteAccess = { readonly repository: Repository; readonly isShared: boolean };

/**
 * The credentials that were declared for writing, in Secrets of the types `repository-write` and `repo-write-creds`. Those for
 * reading are never used to push.
 */
export class WriteBook {
  readonly #records: readonly Repository[];
  readonly #templates: ReturnType<typeof credentialTemplateFrom>[];

  constructor(secrets: readonly KubeObject[]) {
    const ordered = secrets.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const ofType = (type: string) => ordered.filter((each) => repositorySecretType(each) === type);
    this.#records = ofType('repository-write').map(repositoryFrom);
    this.#templates = ofType('repo-write-creds').map(credentialTemplateFrom);
  }

  /**
   * compat sources CRED-1, CRED-2, for writing: the record of the project, then one of no project, completed from a template; or a
   * template alone. Undefined: nothing was declared, and nothing may be pushed.
   */
  find(url: string, project: string): WriteAccess | undefined {
    const normal = normalizeRepoUrl(url);
    if (normal === '') return undefined;
    const records = this.#records.filter((each) => normalizeRepoUrl(each.url) === normal);
    const record =
      records.find((each) => each.project === project) ?? records.find((each) => each.project === '');
    const usable = this.#templates.filter(({ problem }) => problem === undefined);
    const template = record && hasCredentials(record) ? undefined : templateFor(url, usable);
    if (!record && !template) return undefined;
    const own = { ...(record ?? anonymousRepository(url)), url };
    const repository = template ? withTemplate(own, template) : own;
    return { repository, isShared: !record || record.project === '' || template !== undefined };
  }
}
