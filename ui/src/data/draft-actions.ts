import { type Application, qualifiedName, type Source } from '#base/model';
import { FairleadError } from '#base/std';
import { type AppDetails, applications, call, repositories, type Send } from '#serve/api';
import type { AppRef } from './use-application.ts';

/** Replaces the spec, labels and annotations. */
export const updateApplication = (send: Send, body: Application) =>
  call(send, applications.update, { params: { name: body.metadata.name }, body });

/** What a draft of an application renders, beside what the stored one does; manifests are JSON texts. */
export type RenderedDraft = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Helm, Kustomize, Directory or Plugin. */
  readonly type: string;
};

/** The manifests of a draft, and of the application as it is stored where there is one. Nothing is stored. */
export async function previewApplication(
  send: Send,
  draft: Application,
  stored: AppRef | undefined,
): Promise<RenderedDraft> {
  const after = await call(send, applications.preview, { body: draft });
  // one that cannot be rendered as it is stored is edited for that very reason
  const before =
    stored &&
    (await call(send, applications.manifests, {
      params: { name: stored.name },
      query: { appNamespace: stored.namespace },
    }).catch(() => undefined));
  return { before: before?.manifests ?? [], after: after.manifests ?? [], type: after.sourceType };
}

/**
 * What can be set in a source: of `bare`, with the values that it has by itself; a user that may not change the application
 * sees those of `source`, which are in force.
 */
export async function detailsOf(
  send: Send,
  app: Application,
  { source, bare }: { source: Source; bare: Source },
): Promise<AppDetails> {
  const read = (one: Source) =>
    call(send, repositories.appDetails, {
      params: { repo: one.repoURL },
      body: { source: one, appName: qualifiedName(app), appProject: app.spec.project || 'default' },
    });
  try {
    return await read(bare);
  } catch (thrown) {
    if (FairleadError.from(thrown).code !== 'PermissionDenied') throw thrown;
    return read(source);
  }
}
