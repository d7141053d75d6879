import { useState } from 'react';
import type { Application } from '#base/model';
import { previewApplication, type RenderedDraft } from './draft-actions.ts';
import { useSend } from './live.tsx';
import { useAction } from './use-action.ts';
import type { AppRef } from './use-application.ts';

type Preview = {
  readonly run: () => void;
  readonly whyNotRun: string | undefined;
  readonly error: string | undefined;
  /** Of this draft and no other. */
  readonly rendered: RenderedDraft | undefined;
  /** Why the draft cannot be saved yet; a draft that cannot be rendered is left to the server. */
  readonly whyNotSave: string | undefined;
};

/** Renders a draft before it is saved; any change of the draft needs another preview. `declared` is what is sent of it. */
export function usePreview(
  draft: Application,
  declared: (draft: Application) => Application,
  stored: AppRef | undefined,
): Preview {
  const send = useSend();
  const [tried, setTried] = useState<{ draft: Application; rendered?: RenderedDraft }>();
  const { run, isRunning, error } = useAction(async () => {
    setTried({ draft });
    const rendered = await previewApplication(send, declared(draft), stored);
    setTried({ draft, rendered });
  });
  const isOfThis = tried?.draft === draft;
  const whyNotRun = isRunning ? 'The server renders it.' : undefined;
  const unseen = isOfThis ? undefined : 'Preview it first, and see what it renders.';
  return {
    run,
    whyNotRun,
    error: isOfThis ? error : undefined,
    rendered: isOfThis ? tried.rendered : undefined,
    whyNotSave: whyNotRun ?? unseen,
  };
}
