import { lazy, Suspense, useMemo } from 'react';
import type { Application, ResourceKey } from '#base/model';
import type { ManagedResource, ResourceTree as Tree } from '#serve/api';
import type { AppRef } from '../data/use-application.ts';
import type { Loaded } from '../data/use-load.ts';
import { useEvents } from '../data/use-resource.ts';
import { useAddress } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import type { View } from '../shape/address.ts';
import { networkOf } from '../shape/network.ts';
import { filterForest, resourceFilterOf } from '../shape/resource-filter.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { ActivityPlot } from './activity-plot.tsx';
import { ChangesView } from './changes-view.tsx';
import { EventsView } from './events-view.tsx';
import { HistoryView } from './history-view.tsx';
import { LogsView } from './logs-view.tsx';
import { ManifestView } from './manifest-view.tsx';
import { PodsView } from './pods-view.tsx';
import { ResourceFacets } from './resource-facets.tsx';
import { ResourceList } from './resource-list.tsx';
import { ResourceTree } from './resource-tree.tsx';
import { TimelineView } from './timeline-view.tsx';

// what few people open, and not every day, is loaded when it is opened
const ParametersView = lazy(() =>
  import('./parameters-view.tsx').then((one) => ({ default: one.ParametersView })),
);
const ApplicationNotifications = lazy(() =>
  import('./application-notifications.tsx').then((one) => ({ default: one.ApplicationNotifications })),
);

export type ViewProps = {
  view: View;
  app: Application;
  items: readonly TreeItem[];
  tree: Loaded<Tree>;
  managed: Loaded<ManagedResource[]>;
  place: AppRef;
  selected: ResourceKey | undefined;
  now: number;
};

/** The view that the address names. */
export function ApplicationView({ view, app, items, tree, managed, place, selected, now }: ViewProps) {
  switch (view) {
    case 'tree':
      if (!tree.data && tree.error)
        return <Problem title="The tree cannot be shown" message={tree.error.message} />;
      if (!tree.data) return <Skeleton label="Loading the tree" rows={6} height={56} />;
      return <FilteredTree app={app} items={items} selected={selected} now={now} />;
    case 'pods':
      return <PodsView items={items} tree={tree.data} place={place} selected={selected} />;
    case 'network':
      return <NetworkView app={app} items={items} tree={tree.data} selected={selected} now={now} />;
    case 'list':
      return <ResourceList items={items} place={place} selected={selected} now={now} />;
    case 'changes':
      return <ChangesView app={app} managed={managed} place={place} now={now} />;
    case 'timeline':
      return <TimelineView app={app} items={items} place={place} now={now} />;
    case 'history':
      return (
        <>
          <ActivityPlot app={app} place={place} now={now} />
          <HistoryView app={app} now={now} />
        </>
      );
    case 'logs':
      return <LogsView app={app} place={place} items={items} />;
    case 'events':
      return <ApplicationEvents app={app} place={place} now={now} />;
    case 'parameters':
      return (
        <Suspense fallback={<Skeleton label="Loading the parameters" rows={6} />}>
          <ParametersView app={app} place={place} now={now} />
        </Suspense>
      );
    case 'notifications':
      return (
        <Suspense fallback={null}>
          <ApplicationNotifications app={app} place={place} now={now} />
        </Suspense>
      );
    case 'manifest':
      return <ManifestView object={app} />;
  }
}

function ApplicationEvents({ app, place, now }: { app: Application; place: AppRef; now: number }) {
  const events = useEvents(place, undefined, app.metadata.resourceVersion ?? '');
  return <EventsView events={events} now={now} of="application" />;
}

type TreeProps = Pick<ViewProps, 'app' | 'items' | 'selected' | 'now'>;

function FilteredTree({ items, ...rest }: TreeProps) {
  const { query } = useAddress();
  const left = useMemo(() => filterForest(items, resourceFilterOf(query)), [items, query]);
  return <ResourceTree {...rest} items={left} facets={<ResourceFacets items={items} />} />;
}

type NetworkProps = TreeProps & { tree: Tree | undefined };

function NetworkView({ app, items, tree, selected, now }: NetworkProps) {
  const ways = networkOf(items, tree);
  if (ways.length === 0)
    return (
      <p className="none-left">Nothing of it leads requests to pods: it has no Service that selects any.</p>
    );
  return <ResourceTree app={app} items={ways} selected={selected} now={now} isNetwork />;
}
