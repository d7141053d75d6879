import { lazy, Suspense, useMemo } from 'react';
import type { Application } from '#base/model';
import { useApplications } from '../data/live.tsx';
import { useApplication, useManagedResources, useResourceTree } from '../data/use-application.ts';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { TabPanel, Tabs } from '../kit/tabs.tsx';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { useNow } from '../kit/use-now.ts';
import { Absent } from '../parts/absent.tsx';
import { applicationChoices } from '../parts/application-choices.ts';
import { ApplicationHead } from '../parts/application-head.tsx';
import { ApplicationView } from '../parts/application-view.tsx';
import { Frame } from '../parts/frame.tsx';
import { OrphanSwitch } from '../parts/orphan-switch.tsx';
import { ResourcePanel } from '../parts/resource-panel.tsx';
import {
  applicationsPath,
  deployOf,
  nodeOf,
  type ObjectName,
  viewOf,
  viewPath,
  views,
} from '../shape/address.ts';
import { changesOf } from '../shape/changes.ts';
import { forestOf, orphansOf, walkForest } from '../shape/resource-forest.ts';

const RollbackDialog = lazy(() =>
  import('../parts/rollback-dialog.tsx').then((one) => ({ default: one.RollbackDialog })),
);
const SyncDialog = lazy(() =>
  import('../parts/sync-dialog.tsx').then((one) => ({ default: one.SyncDialog })),
);

export function ApplicationPage({ place }: { place: ObjectName }) {
  const app = useApplication(place);
  const feed = useApplications();
  if (app) return <Shown app={app} place={place} />;
  return (
    <Frame title={place.name} crumbs={crumbs(place)}>
      <Absent place={place} kind="application" feed={feed} listPath={applicationsPath} />
    </Frame>
  );
}

const crumbs = ({ name }: ObjectName) => [{ label: 'Applications', to: applicationsPath }, { label: name }];

function Shown({ app, place }: { app: Application; place: ObjectName }) {
  const address = useAddress();
  const now = useNow(10_000);
  const tree = useResourceTree(place);
  const managed = useManagedResources(place, app);
  const items = useMemo(() => forestOf(app, tree.data), [app, tree.data]);
  const orphans = useMemo(() => orphansOf(app, tree.data), [app, tree.data]);
  const hasOrphans = address.query.get('orphaned') === 'true';
  const shown = useMemo(() => (hasOrphans ? [...items, ...orphans] : items), [hasOrphans, items, orphans]);
  const [view, node] = [viewOf(address.query), nodeOf(address.query)];
  const go = (to: string) => navigate(to);
  const close = () => navigate(withQuery({ deploy: undefined, rollbackTo: undefined }, address));
  useHotkeys({ d: () => go(viewPath(place, 'changes')), t: () => go(viewPath(place, 'tree')) });
  const deploy = deployOf(address.query);
  const rollback = address.query.get('rollbackTo');
  return (
    <Frame title={place.name} crumbs={crumbs(place)} choices={() => applicationChoices(place, items)}>
      <div className="page">
        <ApplicationHead app={app} items={items} managed={managed.data} place={place} now={now} />
        <div className="application-tabs">
          <Tabs
            label="Views"
            current={view}
            tabs={views.map((id) => ({
              id,
              label: id[0]?.toUpperCase() + id.slice(1),
              to: viewPath(place, id, node),
              count: id === 'changes' ? changesOf(managed.data ?? [], app).length : undefined,
            }))}
          />
        </div>
        <div className={node ? 'split with-panel' : 'split'}>
          <TabPanel id={view}>
            {(hasOrphans || orphans.length > 0) && (view === 'tree' || view === 'list') && (
              <OrphanSwitch count={orphans.length} isOn={hasOrphans} />
            )}
            <ApplicationView
              view={view}
              app={app}
              items={shown}
              tree={tree}
              managed={managed}
              place={place}
              selected={node}
              now={now}
            />
          </TabPanel>
          {node && (
            <ResourcePanel
              key={node}
              app={app}
              node={node}
              item={[...walkForest(shown)].find(({ key }) => key === node)}
              items={items}
              managed={managed.data}
              place={place}
              now={now}
            />
          )}
        </div>
      </div>
      <Suspense fallback={null}>
        {deploy && (
          <SyncDialog app={app} place={place} wanted={deploy} managed={managed} onClose={close} now={now} />
        )}
        {rollback && (
          <RollbackDialog app={app} place={place} id={Number(rollback)} onClose={close} now={now} />
        )}
      </Suspense>
    </Frame>
  );
}
