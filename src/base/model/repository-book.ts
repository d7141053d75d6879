import { Lru } from '#base/std';
import type { KubeObject } from './kube-object.ts';
import { normalizeRepoUrl, withoutUserInfo } from './repo-url.ts';
import {
  anonymousRepository,
  credentialTemplateFrom,
  hasCredentials,
  type Repository,
  type RepositoryAccess,
  repositoryFrom,
  repositorySecretType,
  templateFor,
  withTemplate,
} from './repository.ts';

/** A repository with its credentials, the project that uses it, and warnings about how the credentials were found. */
export type KnownRepository = Repository & { readonly tenant: string; readonly warnings: readonly string[] };

/** The repositories and credential templates that some Secrets describe. Secrets of other kinds are passed over. */
export class RepositoryBook {
  readonly #byUrl = new Map<string, Repository[]>();
  readonly #templates: readonly RepositoryAccess[];
  readonly #found = new Lru<KnownRepository>({ capacity: 20_000 });

  constructor(secrets: readonly KubeObject[]) {
    const ordered = secrets.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    for (const secret of ordered.filter((each) => repositorySecretType(each) === 'repository')) {
      const repository = repositoryFrom(secret);
      const url = normalizeRepoUrl(repository.url);
      this.#byUrl.set(url, [...(this.#byUrl.get(url) ?? []), repository]);
    }
    this.#templates = ordered
      .filter((each) => repositorySecretType(each) === 'repo-creds')
      .map(credentialTemplateFrom);
  }

  /**
   * The access of a project's applications to a repository: its own record, completed from a template, or
   * anonymous.
   */
  find(url: string, project: string): KnownRepository {
    const key = `${project} ${url}`;
    const known = this.#found.get(key);
    if (known) return known;
    const found = this.#lookUp(url, project);
    this.#found.set(key, found);
    return found;
  }

  /** The chart repositories and registries that applications of a project may use, as `find` would give each. */
  charts(project: string): readonly KnownRepository[] {
    const records = [...this.#byUrl.values()].flat();
    return records
      .filter(({ type, project: owner }) => type !== 'git' && (owner === '' || owner === project))
      .map(({ url }) => this.find(url, project));
  }

  /** The URLs of the repositories that belong to a project (engine P-1). */
  scopedTo(project: string): readonly string[] {
    const records = [...this.#byUrl.values()].flat();
    return records.filter((record) => record.project === project).map(({ url }) => url);
  }

  /**
   * compat sources CRED-1: the record of the project, then one of no project, then anonymous; sources CRED-2: completed from
   * a template.
   */
  #lookUp(url: string, project: string): KnownRepository {
    const normal = normalizeRepoUrl(url);
    const records = normal === '' ? [] : (this.#byUrl.get(normal) ?? []);
    const record =
      records.find((each) => each.project === project) ??
      records.find((each) => each.project === '') ??
      anonymousRepository(url);
    // a record may spell the URL another way; requests use the application's own spelling
    const own: Repository & { tenant: string } = { ...record, url, tenant: project };
    if (hasCredentials(own)) return { ...own, warnings: [] };
    const template = templateFor(
      url,
      this.#templates.filter(({ problem }) => problem === undefined),
    );
    if (!template) return { ...own, warnings: [] };
    return { ...withTemplate(own, template), tenant: project, warnings: boundaryWarning(url, template) };
  }
}

/**
 * dev sources DEV-4: a template for `https://h/org` also matches `https://h/organisation`; its author may not expect
 * that.
 */
function boundaryWarning(url: string, template: RepositoryAccess): string[] {
  const [normal, prefix] = [normalizeRepoUrl(url), normalizeRepoUrl(template.url)];
  if (normal === prefix || prefix.endsWith('/') || /^[/:]/.test(normal.slice(prefix.length))) return [];
  return [
    `the credentials for ${withoutUserInfo(url)} come from the template ${withoutUserInfo(template.url)}, which ends within a name: end it with a slash if it was meant for that folder only`,
  ];
}
