import { type ApplicationSet, argoApiVersion } from '#base/model';
import type { Ctx } from '#base/std';
import { health, isOwnedBySet } from '#engine';
import type { ApplicationSetList, ApplicationSetTree, ApplicationSetWatchEvent, EventList } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { eventsAbout } from '../events.ts';
import { filterOf, newestVersion, sortedByName, type WatchedChange, watchObjects } from '../watch-objects.ts';
import { findSet, maskSet, onSet, projectOfSet, setNamespaceIn } from './find-set.ts';

/** Complete and sorted by name. */
export async function list(
  _ctx: Ctx,
  deps: MethodDeps,
  { query, permissions }: MethodCall,
): Promise<ApplicationSetList> {
  permissions.waive(); // what the caller may not see is left out
  const isWanted = wantedBy(query);
  const all = deps.sets.list();
  const resourceVersion = newestVersion(all);
  const shown = all.filter((set) => isWanted(set) && permissions.may(onSet(deps, set, 'get')));
  return {
    metadata: { ...(resourceVersion && { resourceVersion }) },
    items: sortedByName(shown).map(maskSet),
  };
}

const wantedBy = (query: URLSearchParams): ((set: ApplicationSet) => boolean) =>
  filterOf({ query, namespace: setNamespaceIn(query), projectOf: projectOfSet });

export async function get(_ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ApplicationSet> {
  return maskSet(findSet(deps, call, 'get'));
}

/** Everything that the filter matches, then its changes (compat server §2.5). */
export function watch(
  ctx: Ctx,
  deps: MethodDeps,
  { query, permissions }: MethodCall,
): AsyncGenerator<ApplicationSetWatchEvent> {
  permissions.waive(); // before the first event: an empty stream is no failure
  const isWanted = wantedBy(query);
  const isShown = (set: ApplicationSet): boolean => isWanted(set) && permissions.may(onSet(deps, set, 'get'));
  return eventsOf(watchObjects(ctx, { objects: deps.sets, query, isShown }));
}

async function* eventsOf(
  changes: AsyncIterable<WatchedChange<ApplicationSet>>,
): AsyncGenerator<ApplicationSetWatchEvent> {
  for await (const { type, object } of changes) yield { type, applicationSet: maskSet(object) };
}

/** The applications that the set owns, with their health. */
export async function tree(_ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ApplicationSetTree> {
  const set = findSet(deps, call, 'get');
  const { namespace, name, uid } = set.metadata;
  const [group, version] = argoApiVersion.split('/') as [string, string];
  const parent = {
    ...{ group, version, kind: 'ApplicationSet', name },
    ...(namespace && { namespace }),
    ...(uid && { uid }),
  };
  const owned = deps.apps.list().filter((app) => isOwnedBySet(app, set));
  const nodes = sortedByName(owned).map(({ metadata, status }) => ({
    ...{ group, version, kind: 'Application', name: metadata.name },
    ...(metadata.namespace && { namespace: metadata.namespace }),
    ...(metadata.uid && { uid: metadata.uid }),
    ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }),
    ...(metadata.creationTimestamp && { createdAt: metadata.creationTimestamp }),
    ...(status?.health && { health: status.health }),
    parentRefs: [parent],
  }));
  const judged = health(set);
  const { resourceVersion, creationTimestamp } = set.metadata;
  const root = {
    ...parent,
    ...(resourceVersion && { resourceVersion }),
    ...(creationTimestamp && { createdAt: creationTimestamp }),
    ...(judged && { health: judged }),
  };
  return { nodes: [root, ...nodes] };
}

/** The Kubernetes Events about the set. */
export async function events(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<EventList> {
  return eventsAbout(ctx, deps.kube, findSet(deps, call, 'get').metadata);
}
