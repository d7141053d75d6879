import './panel.css';
import { type CSSProperties, lazy, Suspense, useRef } from 'react';
import { type Application, keyFrom, type ResourceKey } from '#base/model';
import type { ManagedResource } from '#serve/api';
import { usePreferences } from '../data/preferences.ts';
import { type AppRef, useManifest } from '../data/use-application.ts';
import { useEvents } from '../data/use-resource.ts';
import { useServerSettings } from '../data/use-session.ts';
import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { TabPanel, Tabs } from '../kit/tabs.tsx';
import { useFocusReturn } from '../kit/use-focus-return.ts';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { diffModeOf, ownTabOf, type PanelTabName, panelTabOf } from '../shape/address.ts';
import { type Change, changesOf, yamlOf } from '../shape/changes.ts';
import { podsIn } from '../shape/logs.ts';
import { fittingWidth } from '../shape/panel-width.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { ChangeCard } from './change-card.tsx';
import { DiffModeSwitch } from './changes-view.tsx';
import { EventsView } from './events-view.tsx';
import { LogsView } from './logs-view.tsx';
import { PanelEdge } from './panel-edge.tsx';
import { ResourceMenu } from './resource-menu.tsx';
import { ResourceSummary } from './resource-summary.tsx';
import { TerminalView } from './terminal-view.tsx';
import { YamlView } from './yaml-view.tsx';

const RolloutPanel = lazy(() => import('./rollout-panel.tsx').then((one) => ({ default: one.RolloutPanel })));
const TrafficPanel = lazy(() => import('./traffic-panel.tsx').then((one) => ({ default: one.TrafficPanel })));

type PanelProps = {
  app: Application;
  node: ResourceKey;
  item: TreeItem | undefined;
  /** The whole tree. */
  items: readonly TreeItem[];
  managed: readonly ManagedResource[] | undefined;
  place: AppRef;
  now: number;
};

/** One resource, beside the page it was chosen on and never over it. */
export function ResourcePanel({ app, node, item, items, managed, place, now }: PanelProps) {
  const address = useAddress();
  const close = () => navigate(withQuery({ node: undefined, tab: undefined }, address));
  const panel = useRef<HTMLElement>(null);
  const width = fittingWidth(usePreferences().panelWidth);
  useFocusReturn(panel);
  const hasPods = item !== undefined && podsIn([item]).length > 0;
  const target = managed?.find((one) => keyFrom({ group: '', ...one }) === node)?.targetState;
  useHotkeys({
    Escape: close,
    ...(hasPods && { l: () => navigate(withQuery({ tab: 'logs' }, address)) }),
  });
  const change = changesOf(managed ?? [], app).find(({ key }) => key === node);
  const tab = panelTabOf(address.query, change !== undefined, item && ownTabOf(item));
  return (
    <aside
      ref={panel}
      className="panel"
      aria-label={`Resource ${item?.name ?? node}`}
      style={{ '--panel-width': `${width}px` } as CSSProperties}
    >
      <PanelEdge width={width} />
      <header className="panel-head">
        <div className="cut">
          <small className="cut">
            {item ? [item.kind, item.namespace].filter(Boolean).join(' in ') : 'Resource'}
          </small>
          <h2 className="cut">{item?.name ?? node}</h2>
        </div>
        <div className="panel-tools">
          {item?.resourceVersion && <ResourceMenu app={app} place={place} item={item} />}
          <Button variant="quiet" icon="close" aria-label="Close" hint="Close  Esc" onClick={close} />
        </div>
      </header>
      <PanelTabs
        item={item}
        current={tab}
        changes={change && (change.fields.length || 1)}
        hasTarget={target !== undefined}
      />
      <div className="panel-body">
        <TabPanel id={tab}>
          {item ? (
            <PanelTab
              app={app}
              tab={tab}
              item={item}
              items={items}
              change={change}
              target={target}
              place={place}
              now={now}
            />
          ) : (
            <p className="none-left">This resource is not part of the application any more.</p>
          )}
        </TabPanel>
      </div>
    </aside>
  );
}

type PanelTabsProps = {
  item: TreeItem | undefined;
  current: PanelTabName;
  /** How many fields differ. */
  changes: number | undefined;
  hasTarget: boolean;
};

function PanelTabs({ item, current, changes, hasTarget }: PanelTabsProps) {
  const address = useAddress();
  const { data: settings } = useServerSettings();
  const hasPods = item !== undefined && podsIn([item]).length > 0;
  const hasTerminal = settings?.execEnabled === true && item?.kind === 'Pod' && item.group === '';
  const own = item && ownTabOf(item);
  const tab = (id: PanelTabName, label: string) => ({ id, label, to: withQuery({ tab: id }, address) });
  return (
    <Tabs
      label="Resource"
      size="small"
      current={current}
      tabs={[
        ...(own === 'rollout' ? [tab('rollout', 'Rollout')] : []),
        ...(own === 'traffic' ? [tab('traffic', 'Traffic')] : []),
        tab('summary', 'Summary'),
        { ...tab('changes', 'Changes'), count: changes },
        tab('manifest', 'Live'),
        ...(hasTarget ? [tab('target', 'Target')] : []),
        tab('events', 'Events'),
        ...(hasPods ? [tab('logs', 'Logs')] : []),
        ...(hasTerminal ? [tab('terminal', 'Terminal')] : []),
      ]}
    />
  );
}

function PanelTab({
  app,
  tab,
  item,
  items,
  change,
  target,
  place,
  now,
}: {
  app: Application;
  tab: PanelTabName;
  item: TreeItem;
  items: readonly TreeItem[];
  change: Change | undefined;
  target: string | undefined;
  place: AppRef;
  now: number;
}) {
  switch (tab) {
    case 'summary':
      return <ResourceSummary item={item} place={place} now={now} />;
    case 'rollout':
      return (
        <Suspense fallback={null}>
          <RolloutPanel app={app} place={place} item={item} items={items} />
        </Suspense>
      );
    case 'traffic':
      return (
        <Suspense fallback={null}>
          <TrafficPanel place={place} item={item} revision={app.status?.sync?.revision ?? ''} now={now} />
        </Suspense>
      );
    case 'changes':
      return <PanelChanges change={change} now={now} />;
    case 'manifest':
      return <LiveManifest place={place} item={item} />;
    case 'target':
      return <YamlView text={yamlOf(target ?? '') || 'null\n'} label="the target manifest" />;
    case 'events':
      return <ResourceEvents place={place} item={item} now={now} />;
    case 'logs':
      return <LogsView app={app} place={place} item={item} items={[item]} />;
    case 'terminal':
      return <TerminalView app={app} place={place} item={item} />;
  }
}

function PanelChanges({ change, now }: { change: Change | undefined; now: number }) {
  const { query } = useAddress();
  if (!change) return <p className="none-left">It is what Git says.</p>;
  return (
    <div className="changes">
      <DiffModeSwitch />
      <ChangeCard change={change} mode={diffModeOf(query)} now={now} />
    </div>
  );
}

function ResourceEvents({ place, item, now }: { place: AppRef; item: TreeItem; now: number }) {
  const ref = { ...place, key: item.key, uid: item.uid };
  const events = useEvents(place, ref, `${item.resourceVersion} ${Math.floor(now / 10_000)}`);
  return <EventsView events={events} now={now} of="resource" />;
}

function LiveManifest({ place, item }: { place: AppRef; item: TreeItem }) {
  const { data, error } = useManifest(place, item);
  if (!data && error) return <Problem title="No live manifest" message={error.message} />;
  if (!data) return <Skeleton label="Loading the manifest" rows={8} height={28} />;
  return <YamlView text={yamlOf(data) || 'null\n'} label="the live manifest" />;
}
