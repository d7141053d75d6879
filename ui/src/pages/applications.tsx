import type { Application } from '#base/model';
import { useApplications, useLive } from '../data/live.tsx';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { useNow } from '../kit/use-now.ts';
import { FilteredApplications } from '../parts/filtered-applications.tsx';
import { FirstApplication } from '../parts/first-application.tsx';
import { Frame } from '../parts/frame.tsx';
import { Sentence } from '../parts/sentence.tsx';
import { SummaryStrip } from '../parts/summary-strip.tsx';
import { fleetSentence, stripOf, tallyOf } from '../shape/fleet.ts';

export function ApplicationsPage() {
  const { items: apps, connection, error } = useApplications();
  return (
    <Frame title="Applications" crumbs={[{ label: 'Applications' }]}>
      {apps && apps.length > 0 && <Applications apps={apps} />}
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
      <Sentence spans={fleetSentence(tallyOf(apps))} />
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
