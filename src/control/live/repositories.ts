import {
  type KnownRepository,
  type KubeObject,
  label,
  RepositoryBook,
  type WriteAccess,
  WriteBook,
} from '#base/model';
import type { Ctx } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import { Feed } from './change-feed.ts';
import { Informer } from './informer.ts';

/** The repositories before and after a change. */
export type RepositoriesChange = { readonly before: RepositoryBook; readonly after: RepositoryBook };

/** The repositories and credential templates in the Secrets of the control plane, always current. */
export class Repositories {
  readonly #secrets: Informer;
  readonly #feed = new Feed<RepositoriesChange>();
  #read: readonly KubeObject[] = [];
  #book = new RepositoryBook([]);
  #write = new WriteBook([]);

  constructor({ kube, namespace }: { kube: Pick<KubeClient, 'list' | 'watch'>; namespace: string }) {
    const labelSelector = `${label.secretType} in (repository,repo-creds,repository-write,repo-write-creds)`;
    this.#secrets = new Informer(kube, { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector });
  }

  async run(ctx: Ctx): Promise<void> {
    const changes = this.#secrets.changes(ctx);
    await Promise.all([this.#secrets.run(ctx), this.#follow(changes)]);
  }

  async whenSynced(ctx: Ctx): Promise<void> {
    await this.#secrets.whenSynced(ctx);
    this.#update();
  }

  /** The Secrets as they are in the cluster. They hold credentials. */
  secrets(): readonly KubeObject[] {
    return this.#secrets.list();
  }

  /** Every change of those Secrets from this call on, until `ctx` stops. */
  secretChanges(ctx: Ctx): AsyncGenerator<unknown> {
    return this.#secrets.changes(ctx);
  }

  /** Every change of the repositories from this call on, until `ctx` stops. */
  changes(ctx: Ctx): AsyncGenerator<RepositoriesChange> {
    return this.#feed.follow(ctx);
  }

  /** As in `RepositoryBook`, and so for the others. */
  find(url: string, project: string): KnownRepository {
    return this.#book.find(url, project);
  }

  /** As in `WriteBook`. */
  findWriter(url: string, project: string): WriteAccess | undefined {
    return this.#write.find(url, project);
  }

  charts(project: string): readonly KnownRepository[] {
    return this.#book.charts(project);
  }

  scopedTo(project: string): readonly string[] {
    return this.#book.scopedTo(project);
  }

  async #follow(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _change of changes) this.#update();
  }

  /** Builds one book for all changes of the first list. */
  #update(): void {
    const secrets = this.#secrets.list();
    const isSame = secrets.length === this.#read.length && secrets.every((one, at) => one === this.#read[at]);
    if (isSame) return;
    const before = this.#book;
    this.#read = secrets;
    this.#book = new RepositoryBook(secrets);
    this.#write = new WriteBook(secrets);
    this.#feed.publish({ before, after: this.#book });
  }
}
