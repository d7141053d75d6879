import './application.css';
import type { Application } from '#base/model';
import { type AppRef, useSyncWindows } from '../data/use-application.ts';
import { useRevision } from '../data/use-revision.ts';
import { noticesOf } from '../shape/notices.ts';
import { openingSentence } from '../shape/opening-sentence.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { revisionOf } from '../shape/revision.ts';
import { windowNotice } from '../shape/windows.ts';
import { ActionsBar } from './application-actions-bar.tsx';
import { FactRow } from './fact-row.tsx';
import { Notices } from './notices.tsx';
import { OperationStrip } from './operation-strip.tsx';
import { Sentence } from './sentence.tsx';

/** The sentence, the facts and the operation, above any diagram. */
export function ApplicationHead({
  app,
  items,
  place,
  now,
}: {
  app: Application;
  items: readonly TreeItem[];
  place: AppRef;
  now: number;
}) {
  const commit = useRevision(app, revisionOf(app));
  const held = windowNotice(app, useSyncWindows(place, app, now).data ?? {});
  return (
    <>
      <div className="opening">
        <Sentence spans={openingSentence({ app, items, commit, now })} place={place} />
        <ActionsBar app={app} place={place} />
      </div>
      <Notices notices={held ? [...noticesOf(app), held] : noticesOf(app)} />
      <FactRow app={app} now={now} />
      <OperationStrip app={app} place={place} />
    </>
  );
}
