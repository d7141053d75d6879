import type { Application, ApplicationSet, AppProject, FileTree, Source } from '#base/model';
import type { Ctx } from '#base/std';
import type { ComparisonDeps } from '#control/comparison';
import type { SetEvaluation, SetPreview } from '#control/generators';
import type { Informer } from '#control/live';
import type { ApplicationEvent } from '#engine';
import type { KubeClient } from '#kubernetes/client';
import type { ChartDescription, OciMetadata } from '#serve/api';

/** The dependencies of the methods. */
export type MethodDeps = {
  readonly kube: KubeClient;
  readonly apps: Informer<Application>;
  readonly sets: Informer<ApplicationSet>;
  readonly context: ComparisonDeps;
  /** Evaluates a set as it is given, by the rules for requests of users; writes nothing. */
  evaluateSet(ctx: Ctx, set: ApplicationSet): Promise<SetEvaluation>;
  /** The same, compared with the live applications. */
  previewSet(ctx: Ctx, set: ApplicationSet): Promise<SetPreview>;
  /** Records an event about an application, a set or a project in the cluster; left out: no events. */
  raise?(ctx: Ctx, about: Application | ApplicationSet | AppProject, event: ApplicationEvent): Promise<void>;
  /** The files of an archive that a user sends; `close` removes them. Throws InvalidSpec or LimitExceeded. */
  openUpload(
    ctx: Ctx,
    upload: { readonly content: AsyncIterable<Uint8Array>; readonly checksum?: string | undefined },
  ): Promise<{ readonly files: FileTree; close(): Promise<void> }>;
  /** The details of a commit, a chart or an artifact. */
  describe(ctx: Ctx, source: Source, revision: string, project: string): Promise<SourceRevision>;
};

/** A revision of a source, by its kind; empty where nothing is known. */
export type SourceRevision =
  | { readonly kind: 'commit'; readonly author: string; readonly date: Date; readonly message: string }
  | ({ readonly kind: 'chart'; readonly name: string } & ChartDescription)
  | ({ readonly kind: 'artifact' } & OciMetadata);
