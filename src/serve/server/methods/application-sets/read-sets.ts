import {
  type ApplicationSet,
  argoApiVersion,
  type KubeObject,
  matches,
  parseSelector,
  qualifiedName,
} from '#base/model';
import type { Ctx } from '#base/std';
import { health, isOwnedBySet } from '#engine';
import type { ApplicationSetList, ApplicationSetTree, ApplicationSetWatchEvent } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findSet, maskSet, onSet, projectOfSet, setNamespaceIn } from './find-set.ts';

/** Complete and sorted by name. */
export async function list(
  _ctx: Ctx,
  deps: MethodDeps,
  { query, permissions }: MethodCall,
): Promise<ApplicationSetList> {
  permissions.waive(); // what the caller may not see is left out
  const isWanted = filterOf(query);
  const items = deps.sets
    .list()
    .filter((set) => isWanted(set) && permissions.may(onSet(deps, set, 'get')))
    .sort(byName);
  return { metadata: {}, items: items.map(maskSet) };
}

const byName = (a: KubeObject, b: KubeObject): number => (nameIn(a) < nameIn(b) ? -1 : 1);
const nameIn = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

function filterOf(query: URLSearchParams): (set: ApplicationSet) => boolean {
  const projects = [...query.getAll('projects'), ...query.getAll('project')].filter(Boolean);
  const [name, namespace] = [query.get('name'), setNamespaceIn(query)];
  const selector = parseSelector(query.get('selector') ?? '');
  return (set) =>
    (!name || set.metadata.name === name) &&
    (!namespace || set.metadata.namespace === namespace) &&
    (projects.length === 0 || projects.includes(projectOfSet(set))) &&
    matches(selector, set.metadata.labels ?? {});
}

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
  const isWanted = filterOf(query);
  const isShown = (set: ApplicationSet): boolean => isWanted(set) && permissions.may(onSet(deps, set, 'get'));
  return eventsOf(ctx, deps, query, isShown);
}

async function* eventsOf(
  ctx: Ctx,
  { sets }: MethodDeps,
  query: URLSearchParams,
  isShown: (set: ApplicationSet) => boolean,
): AsyncGenerator<ApplicationSetWatchEvent> {
  const changes = sets.changes(ctx);
  const isResumed = !query.get('name') && query.get('resourceVersion');
  const present = isResumed ? [] : sets.list().filter(isShown).sort(byName);
  for (const set of present) yield { type: 'ADDED', applicationSet: maskSet(set) };
  for await (const change of changes) {
    const [before, after] = [change.before, change.after].map((one) =>
      one && isShown(one as ApplicationSet) ? (one as ApplicationSet) : undefined,
    );
    const set = after ?? before;
    if (!set) continue;
    const type = after ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
    yield { type, applicationSet: maskSet(set) };
  }
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
  const nodes = owned
    .toSorted((a, b) => (qualifiedName(a) < qualifiedName(b) ? -1 : 1))
    .map(({ metadata, status }) => ({
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
export async function events(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<{ items: KubeObject[] }> {
  const { name, namespace, uid } = findSet(deps, call, 'get').metadata;
  const fields = { name, namespace, uid };
  const fieldSelector = Object.entries(fields)
    .flatMap(([field, value]) => (value ? [`involvedObject.${field}=${value}`] : []))
    .join(',');
  const { items } = await deps.kube.list(
    ctx,
    { apiVersion: 'v1', kind: 'Event', namespace },
    { fieldSelector },
  );
  return { items: [...items] };
}
