import { lazy, Suspense } from 'react';
import type { Application } from '#base/model';
import { useApplications, useLive } from '../data/live.tsx';
import { useWhyNotAnywhere } from '../data/use-may.ts';
import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { useNow } from '../kit/use-now.ts';
import '../parts/application.css';
import { FilteredApplications } from '../parts/filtered-applications.tsx';
import { FirstApplication } from '../parts/first-application.tsx';
import { Frame } from '../parts/frame.tsx';
import { Sentence } from '../parts/sentence.tsx';
import { SummaryStrip } from '../parts/summary-strip.tsx';
import { fleetSentence, stripOf, tallyOf } from '../shape/fleet.ts';

const ApplicationEditor = lazy(() =>
  import('../parts/application-editor.tsx').then((one) => ({ default: one.ApplicationEditor })),
);

export function ApplicationsPage() {
  const { items: apps, connection, error } = useApplications();
  const address = useAddress();
  const { query } = address;
  return (
    <Frame title="Applications" crumbs={[{ label: 'Applications' }]}>
      {apps && apps.length > 0 && <Applications apps={apps} />}
      {query.has('new') && (
        <Suspense fallback={null}>
          <ApplicationEditor onClose={() => navigate(withQuery({ new: undefined }, address))} />
        </Suspense>
      )}
      {apps?.length === 0 && <FirstApplication />}
      {!apps && connection.state === 'lost' && <Broken message={error ?? 'the server does not answer'} />}
      {!apps && connection.state !== 'lost' && (
        <div className="page">
          <Skeleton isPage label="Loading the applications" rows={12} height={44} />
        </div>
      )}
    </Frame>
  );
}

function Applications({ apps }: { apps: readonly Application[] }) {
  const now = useNow(15_000);
  return (
    <div className="page">
      <div className="opening">
        <Sentence spans={fleetSentence(tallyOf(apps))} />
        <NewButton />
      </div>
      <SummaryStrip strip={stripOf(apps)} />
      <FilteredApplications apps={apps} now={now} />
    </div>
  );
}

function Broken({ message }: { message: string }) {
  const { applications } = useLive();
  return (
    <Problem isPage title="The applications cannot be shown" message={`${message}. Trying again by itself.`}>
      <Button onClick={() => applications.wake()}>Try now</Button>
    </Problem>
  );
}

function NewButton() {
  const address = useAddress();
  const why = useWhyNotAnywhere('applications', 'create');
  return (
    <Button icon="plus" why={why} onClick={() => navigate(withQuery({ new: 'true' }, address))}>
      New application
    </Button>
  );
}
