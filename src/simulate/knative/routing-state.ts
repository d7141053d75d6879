import { type KubeObject, printTime } from '#model';
import { keyOfObject, type World } from '../world.ts';
import { all, change, look } from '../write.ts';
import { configurationKind, knative, label, note, revisionKind } from './kinds.ts';
import type { Configuration, Route, TrafficTarget } from './view.ts';

/**
 * compat 5.6: revisions know whether a route uses them. Used are those it sends traffic to and, of the configurations
 * it follows, the latest created and the latest ready; the others are kept in reserve.
 */
export async function markRouted(
  world: World,
  route: Route,
  traffic: readonly TrafficTarget[],
): Promise<void> {
  const { namespace, name } = keyOfObject(route);
  const used = usedBy(world, route, traffic);
  const newest = newestGenerations(world, route);
  for (const revision of all(world, revisionKind, namespace)) {
    const { name: own, annotations = {}, labels = {} } = revision.metadata;
    const routes = (annotations[note.routes] ?? '').split(',').filter((one) => one !== '');
    const generation = newest.get(labels[label.configuration] ?? '');
    const isOurs = generation !== undefined || labels[label.service] === name;
    if (!isOurs && !routes.includes(name) && !used.has(own)) continue;
    const isUsed = used.has(own) || labels[label.configurationGeneration] === generation;
    const next = isUsed ? [...new Set([...routes, name])].sort() : routes.filter((one) => one !== name);
    await setRoutes(world, revision, next);
  }
}

/** A configuration's newest revision counts from its first moment, before the configuration has said its name. */
function newestGenerations(world: World, route: Route): ReadonlyMap<string, string> {
  const { namespace } = keyOfObject(route);
  const names = (route.spec?.traffic ?? []).flatMap(({ configurationName }) => configurationName ?? []);
  return new Map(
    names.map((name) => {
      const { generation } = look(world, configurationKind, { namespace, name })?.metadata ?? {};
      return [name, String(generation)];
    }),
  );
}

function usedBy(world: World, route: Route, traffic: readonly TrafficTarget[]): ReadonlySet<string> {
  const { namespace } = keyOfObject(route);
  const used = new Set<string>();
  for (const { revisionName, configurationName } of [...traffic, ...(route.spec?.traffic ?? [])]) {
    if (revisionName) used.add(revisionName);
    if (!configurationName) continue;
    const found = look(world, configurationKind, { namespace, name: configurationName }) as
      | Configuration
      | undefined;
    const { latestCreatedRevisionName, latestReadyRevisionName } = found?.status ?? {};
    for (const one of [latestCreatedRevisionName, latestReadyRevisionName]) if (one) used.add(one);
  }
  return used;
}

async function setRoutes(world: World, revision: KubeObject, routes: readonly string[]): Promise<void> {
  const { annotations = {}, labels = {} } = revision.metadata;
  const state =
    routes.length > 0 ? 'active' : labels[label.routingState] === 'pending' ? 'pending' : 'reserve';
  const text = routes.length > 0 ? routes.join(',') : null;
  if (labels[label.routingState] === state && (annotations[note.routes] ?? null) === text) return;
  const moved =
    labels[label.routingState] === state ? {} : { [note.routingStateModified]: printTime(world.clock.now()) };
  const metadata = {
    labels: { [label.routingState]: state },
    annotations: { [note.routes]: text, ...moved },
  };
  await change(world, revision, { metadata }, knative);
}
