import { useMemo, useRef } from 'react';
import type { Application } from '#base/model';
import { useApplications, useLive } from '../data/live.tsx';
import { Button } from '../kit/button.tsx';
import { useAddress } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { useNow } from '../kit/use-now.ts';
import { ApplicationsTable } from '../parts/applications-table.tsx';
import { FirstApplication } from '../parts/first-application.tsx';
import { Frame } from '../parts/frame.tsx';
import { ListToolbar } from '../parts/list-toolbar.tsx';
import { Sentence } from '../parts/sentence.tsx';
import { SummaryStrip } from '../parts/summary-strip.tsx';
import { arrange, filterOf } from '../shape/application-filter.ts';
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
  const { query } = useAddress();
  const now = useNow(15_000);
  const input = useRef<HTMLInputElement>(null);
  useHotkeys({ '/': () => input.current?.focus() });
  const filter = filterOf(query);
  const groups = useMemo(() => arrange(apps, filterOf(query)), [apps, query]);
  const shown = groups.reduce((sum, group) => sum + group.apps.length, 0);
  return (
    <div className="page">
      <Sentence spans={fleetSentence(tallyOf(apps))} />
      <SummaryStrip strip={stripOf(apps)} />
      <ListToolbar input={input} shown={shown} all={apps.length} group={filter.group} />
      {shown > 0 ? (
        <ApplicationsTable groups={groups} filter={filter} now={now} />
      ) : (
        <p className="none-left">No application matches the filter.</p>
      )}
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
