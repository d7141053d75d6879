import type { KubeClient } from '#kube';
import { type KnownRepository, label, RepositoryBook } from '#model';
import type { Ctx } from '#std';
import { Informer } from './informer.ts';

/** The repositories and credential templates that Secrets of the control plane describe, as they are right now. */
export class Repositories {
  readonly #secrets: Informer;
  #book: RepositoryBook | undefined;

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

  /** As `RepositoryBook` has it, and so for the others. */
  find(url: string, project: string): KnownRepository {
    return this.#current().find(url, project);
  }

  charts(project: string): readonly KnownRepository[] {
    return this.#current().charts(project);
  }

  scopedTo(project: string): readonly string[] {
    return this.#current().scopedTo(project);
  }

  #current(): RepositoryBook {
    this.#book ??= new RepositoryBook(this.#secrets.list());
    return this.#book;
  }

  async #follow(changes: AsyncIterable<unknown>): Promise<void> {
    for await (const _change of changes) this.#book = undefined;
  }
}
