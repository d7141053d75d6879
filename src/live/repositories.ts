import type { KubeClient } from '#kube';
import {
  anonymousRepository,
  credentialTemplateFrom,
  hasCredentials,
  type KubeObject,
  label,
  normalizeRepoUrl,
  type Repository,
  type RepositoryAccess,
  repositoryFrom,
  repositorySecretType,
  templateFor,
  withoutUserInfo,
  withTemplate,
} from '#model';
import { type Ctx, Lru } from '#std';
import { Informer } from './informer.ts';

/** A repository as it is to be asked for, with what a user should know about how its credentials were found. */
export type KnownRepository = Repository & { readonly warnings: readonly string[] };

type Records = {
  readonly byUrl: ReadonlyMap<string, readonly Repository[]>;
  readonly templates: readonly RepositoryAccess[];
  readonly found: Lru<KnownRepository>;
};

/** The repositories and credential templates that Secrets of the control plane describe, as they are right now. */
export class Repositories {
  readonly #secrets: Informer;
  #records: Records | undefined;

  constructor({ kube, namespace }: { kube: Pick<KubeClient, 'list' | 'watch'>; namespace: string }) {
    const labelSelector = `${label.secretType} in (repository,repo-creds)`;
    this.#secrets = new Informer(kube, { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector });
  }

  async run(ctx: Ctx): Promise<void> {
    const changes = this.#secrets.changes(ctx);
    await Promise.all([this.#secrets.run(ctx), this.#follow(changes)]);
  }

  whenSynced(ctx: Ctx): Promise<void> {
    return this.#secrets.whenSynced(ctx);
  }

  /** How applications of a project ask for a repository: with its own record, completed from a template, or as nobody. */
  find(url: string, project: string): KnownRepository {
    this.#records ??= recordsOf(this.#secrets.list());
    const { found } = this.#records;
    const key = `${project} ${url}`;
    const known = found.get(key) ?? repositoryFor(url, project, this.#records);
    found.set(key, known);
    return known;
  }

  /** The chart repositories and registries that applications of a project may use, as `find` would give each. */
  charts(project: string): readonly KnownRepository[] {
    this.#records ??= recordsOf(this.#secrets.list());
    const records = [...this.#records.byUrl.values()].flat();
    return records
      .filter(({ type, project: owner }) => type !== 'git' && (owner === '' || owner === project))
      .map(({ url }) => this.find(url, project));
  }

  async #follow(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _change of changes) this.#records = undefined;
  }
}

function recordsOf(secrets: readonly KubeObject[]): Records {
  const byUrl = new Map<string, Repository[]>();
  const ordered = secrets.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const secret of ordered.filter((each) => repositorySecretType(each) === 'repository')) {
    const repository = repositoryFrom(secret);
    const url = normalizeRepoUrl(repository.url);
    byUrl.set(url, [...(byUrl.get(url) ?? []), repository]);
  }
  const templates = ordered
    .filter((each) => repositorySecretType(each) === 'repo-creds')
    .map(credentialTemplateFrom);
  return { byUrl, templates, found: new Lru({ capacity: 20_000 }) };
}

/** compat CRED-1: the record of the project, then one of no project, then nobody's; CRED-2: completed from a template. */
function repositoryFor(url: string, project: string, { byUrl, templates }: Records): KnownRepository {
  const normal = normalizeRepoUrl(url);
  const records = normal === '' ? [] : (byUrl.get(normal) ?? []);
  const record =
    records.find((each) => each.project === project) ??
    records.find((each) => each.project === '') ??
    anonymousRepository(url);
  // a record may spell the URL another way; the application's own spelling is the one that is asked for
  const own: Repository = { ...record, url };
  if (hasCredentials(own)) return { ...own, warnings: [] };
  const template = templateFor(
    url,
    templates.filter(({ problem }) => problem === undefined),
  );
  if (!template) return { ...own, warnings: [] };
  return { ...withTemplate(own, template), warnings: boundaryWarning(url, template) };
}

/** dev DEV-4: a template for `https://h/org` also serves `https://h/organisation`; whoever wrote it may not know. */
function boundaryWarning(url: string, template: RepositoryAccess): string[] {
  const [normal, prefix] = [normalizeRepoUrl(url), normalizeRepoUrl(template.url)];
  if (normal === prefix || prefix.endsWith('/') || /^[/:]/.test(normal.slice(prefix.length))) return [];
  return [
    `the credentials for ${withoutUserInfo(url)} come from the template ${withoutUserInfo(template.url)}, which ends within a name: end it with a slash if it was meant for that folder only`,
  ];
}
