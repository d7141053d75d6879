import type { Application } from '#base/model';
import type { RenderedDraft } from '../data/draft-actions.ts';
import { draftEffect } from '../shape/rendered-draft.ts';
import { ChangeList } from './change-list.tsx';

/** What storing a draft would change in the manifests, resource by resource. */
export function DraftEffect({
  rendered,
  draft,
  now,
}: {
  rendered: RenderedDraft;
  draft: Application;
  now: number;
}) {
  const { summary, changes } = draftEffect(rendered, draft);
  return (
    <section className="changes" aria-label="What it renders">
      <p role="status">{summary}</p>
      <ChangeList changes={changes} now={now} />
    </section>
  );
}
