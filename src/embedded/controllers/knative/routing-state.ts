import { type KubeObject, printTime } from '#base/model';
import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { all, change, isDeleting, storedObject } from '../write.ts';
import { configurationKind, knative, label, note, revisionKind } from './kinds.ts';
import { type Configuration, isCurrent, type KnativeRoute, type TrafficTarget } from './view.ts';

/**
 * compat cluster 5.6: the routing state of revisions. Active are those a route sends traffic to and, of the
 * configurations it follows, the latest created and the latest ready; the others are in reserve.
 */
export async function markRouted(
  context: SimulationContext,
  route: KnativeRoute,
  traffic: readonly TrafficTarget[],
): Promise<void> {
  const { namespace, name } = keyOfObject(route);
  const used = usedBy(context, route, traffic);
  const newest = newestGenerations(context, route);
  await markConfigurations(context, route, new Set(newest.keys()));
  for (const revision of all(context, revisionKind, namespace)) {
    const { name: own, labels = {} } = revision.metadata;
    const routes = routesOf(revision);
    const generation = newest.get(labels[label.configuration] ?? '');
    const isOurs = generation !== undefined || labels[label.service] === name;
    if (!isOurs && !routes.includes(name) && !used.has(own)) continue;
    const isUsed = used.has(own) || labels[label.configurationGeneration] === generation;
    await setRoutes(context, revision, isUsed ? withName(routes, name) : without(routes, name));
  }
}

/** compat cluster 5.6: a deleted route is removed from the annotations of its revisions and configurations. */
export async function unmarkRouted(context: SimulationContext, route: KnativeRoute): Promise<void> {
  const { namespace, name } = keyOfObject(route);
  await markConfigurations(context, route, new Set());
  for (const revision of all(context, revisionKind, namespace)) {
    const routes = routesOf(revision);
    if (routes.includes(name) && !isDeleting(revision)) {
      await setRoutes(context, revision, without(routes, name));
    }
  }
}

/** The routes in the annotation of an object. */
export const routesOf = ({ metadata }: KubeObject): readonly string[] =>
  (metadata.annotations?.[note.routes] ?? '').split(',').filter((one) => one !== '');

const withName = (routes: readonly string[], name: string): readonly string[] =>
  [...new Set([...routes, name])].sort();
const without = (routes: readonly string[], name: string): readonly string[] =>
  routes.filter((one) => one !== name);

async function markConfigurations(
  context: SimulationContext,
  route: KnativeRoute,
  followed: ReadonlySet<string>,
): Promise<void> {
  const { namespace, name } = keyOfObject(route);
  // only a route that has just changed, or is being deleted, may no longer use a configuration
  const mayHaveLeft = !isCurrent(route) || isDeleting(route);
  const candidates = mayHaveLeft
    ? all(context, configurationKind, namespace)
    : [...followed].flatMap(
        (one) => storedObject(context, configurationKind, { namespace, name: one }) ?? [],
      );
  for (const configuration of candidates) {
    const { name: own, labels = {} } = configuration.metadata;
    // a Service annotates its own route's configuration, wherever the route sends its traffic
    const isFollowed = followed.has(own) || labels[label.service] === name;
    const routes = routesOf(configuration);
    if (isFollowed === routes.includes(name) || isDeleting(configuration)) continue;
    const next = isFollowed ? withName(routes, name) : without(routes, name);
    const text = next.length > 0 ? next.join(',') : null;
    await change(context, configuration, { metadata: { annotations: { [note.routes]: text } } }, knative);
  }
}

/** A configuration's newest revision counts from its creation, before the configuration's status names it. */
function newestGenerations(context: SimulationContext, route: KnativeRoute): ReadonlyMap<string, string> {
  const { namespace } = keyOfObject(route);
  const names = (route.spec?.traffic ?? []).flatMap(({ configurationName }) => configurationName ?? []);
  return new Map(
    names.map((name) => {
      const { generation } = storedObject(context, configurationKind, { namespace, name })?.metadata ?? {};
      return [name, String(generation)];
    }),
  );
}

function usedBy(
  context: SimulationContext,
  route: KnativeRoute,
  traffic: readonly TrafficTarget[],
): ReadonlySet<string> {
  const { namespace } = keyOfObject(route);
  const used = new Set<string>();
  for (const { revisionName, configurationName } of [...traffic, ...(route.spec?.traffic ?? [])]) {
    if (revisionName) used.add(revisionName);
    if (!configurationName) continue;
    const found = storedObject(context, configurationKind, { namespace, name: configurationName }) as
      | Configuration
      | undefined;
    const { latestCreatedRevisionName, latestReadyRevisionName } = found?.status ?? {};
    for (const one of [latestCreatedRevisionName, latestReadyRevisionName]) if (one) used.add(one);
  }
  return used;
}

async function setRoutes(
  context: SimulationContext,
  revision: KubeObject,
  routes: readonly string[],
): Promise<void> {
  const { annotations = {}, labels = {} } = revision.metadata;
  const state =
    routes.length > 0 ? 'active' : labels[label.routingState] === 'pending' ? 'pending' : 'reserve';
  const text = routes.length > 0 ? routes.join(',') : null;
  if (labels[label.routingState] === state && (annotations[note.routes] ?? null) === text) return;
  const moved =
    labels[label.routingState] === state
      ? {}
      : { [note.routingStateModified]: printTime(context.clock.now()) };
  const metadata = {
    labels: { [label.routingState]: state },
    annotations: { [note.routes]: text, ...moved },
  };
  await change(context, revision, { metadata }, knative);
}
