import { useMemo, useState } from 'react';
import type { ApplicationSet } from '#base/model';
import { useApplicationSets, useApplications } from '../data/live.tsx';
import { useApplicationSet } from '../data/use-application-set.ts';
import { navigate, useAddress } from '../kit/location.ts';
import { TabPanel, Tabs } from '../kit/tabs.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { useNow } from '../kit/use-now.ts';
import { Absent } from '../parts/absent.tsx';
import { Frame } from '../parts/frame.tsx';
import { SetHead } from '../parts/set-head.tsx';
import { SetView } from '../parts/set-view.tsx';
import { applicationSetsPath, type ObjectName, setViewOf, setViewPath, setViews } from '../shape/address.ts';
import { ownedApplications, ownedIn } from '../shape/application-set.ts';
import { isRolling } from '../shape/set-rollout.ts';

export function ApplicationSetPage({ place }: { place: ObjectName }) {
  const set = useApplicationSet(place);
  const feed = useApplicationSets();
  if (set) return <Shown set={set} place={place} />;
  return (
    <Frame title={place.name} crumbs={crumbs(place)}>
      <Absent place={place} kind="ApplicationSet" feed={feed} listPath={applicationSetsPath} />
    </Frame>
  );
}

const crumbs = ({ name }: ObjectName) => [
  { label: 'ApplicationSets', to: applicationSetsPath },
  { label: name },
];

function Shown({ set, place }: { set: ApplicationSet; place: ObjectName }) {
  const { query } = useAddress();
  const now = useNow(10_000);
  const { items: all } = useApplications();
  const [attempt, setAttempt] = useState(0);
  const apps = useMemo(() => ownedIn(ownedApplications(all ?? []), set), [all, set]);
  const view = setViewOf(query);
  const preview = () => {
    setAttempt(attempt + 1);
    navigate(setViewPath(place, 'preview'));
  };
  useHotkeys({ p: preview });
  const action = {
    id: 'preview',
    kind: 'Action' as const,
    title: 'Preview',
    note: `see what ${place.name} would do`,
    choose: preview,
  };
  return (
    <Frame title={place.name} crumbs={crumbs(place)} choices={() => [action]}>
      <div className="page">
        <SetHead story={{ set, apps, now }} onPreview={preview} />
        <div className="application-tabs">
          <Tabs
            label="Views"
            current={view}
            tabs={setViews
              .filter((id) => id !== 'rollout' || isRolling(set) || view === 'rollout')
              .map((id) => ({
                id,
                label: id[0]?.toUpperCase() + id.slice(1),
                to: setViewPath(place, id),
                count: id === 'applications' ? apps.length : undefined,
              }))}
          />
        </div>
        <TabPanel id={view}>
          <SetView view={view} set={set} apps={apps} attempt={attempt} now={now} />
        </TabPanel>
      </div>
    </Frame>
  );
}
