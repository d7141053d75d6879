import { lazy, Suspense, useMemo } from 'react';
import type { ApplicationSet } from '#base/model';
import { useApplicationSets, useApplications, useLive } from '../data/live.tsx';
import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { useNow } from '../kit/use-now.ts';
import '../parts/application.css';
import { FirstSet } from '../parts/first-set.tsx';
import { Frame } from '../parts/frame.tsx';
import { NewSetButton } from '../parts/new-set-button.tsx';
import { Sentence } from '../parts/sentence.tsx';
import { SetsTable } from '../parts/sets-table.tsx';
import { ownedApplications, ownedIn } from '../shape/application-set.ts';
import { setsSentence } from '../shape/set-sentence.ts';

const SetEditor = lazy(() => import('../parts/set-editor.tsx').then((one) => ({ default: one.SetEditor })));

export function ApplicationSetsPage() {
  const { items, connection, error } = useApplicationSets();
  const { sets } = useLive();
  const address = useAddress();
  const isLost = connection.state === 'lost';
  return (
    <Frame title="ApplicationSets" crumbs={[{ label: 'ApplicationSets' }]}>
      {items && items.length > 0 && <Sets sets={items} />}
      {items?.length === 0 && <FirstSet />}
      {items && address.query.has('new') && (
        <Suspense fallback={null}>
          <SetEditor onClose={() => navigate(withQuery({ new: undefined }, address))} />
        </Suspense>
      )}
      {!items && isLost && (
        <Problem
          isPage
          title="The ApplicationSets cannot be shown"
          message={`${error ?? 'the server does not answer'}. Trying again by itself.`}
        >
          <Button onClick={() => sets.wake()}>Try now</Button>
        </Problem>
      )}
      {!items && !isLost && (
        <div className="page">
          <Skeleton isPage label="Loading the ApplicationSets" rows={8} height={44} />
        </div>
      )}
    </Frame>
  );
}

function Sets({ sets }: { sets: readonly ApplicationSet[] }) {
  const { items: all } = useApplications();
  const now = useNow(15_000);
  const owned = useMemo(() => ownedApplications(all ?? []), [all]);
  const stories = sets
    .map((set) => ({ set, apps: ownedIn(owned, set), now }))
    .sort((a, b) => (a.set.metadata.name < b.set.metadata.name ? -1 : 1));
  return (
    <div className="page">
      <div className="opening">
        <Sentence spans={setsSentence(stories)} />
        <NewSetButton />
      </div>
      <SetsTable stories={stories} />
    </div>
  );
}
