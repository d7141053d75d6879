import { type Application, type KubeObject, keyFrom } from '#base/model';
import { type Ctx, FairleadError, printJson } from '#base/std';
import {
  type AppDestination,
  hostsIn,
  recordedIn,
  requiredKinds,
  resolveDestination,
  treeOf,
} from '#control/comparison';
import type { ResourceTree } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findApplication, placeOrRefuse } from './find.ts';

/** The managed resources of the status, and all their current descendants. */
export async function tree(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ResourceTree> {
  return grow(ctx, deps, findApplication(deps, call, 'get'));
}

/** The tree of an application that the caller may see; empty while its destination is invalid. */
export async function grow(ctx: Ctx, deps: MethodDeps, app: Application): Promise<ResourceTree> {
  const placed = resolveDestination(deps.context, app);
  if (!('destination' in placed)) return { nodes: [], orphanedNodes: [] };
  const { destination } = placed;
  const { cache } = destination.cluster;
  await cache.whenSynced(ctx, requiredKinds(app));
  const grown = await treeOf(ctx, deps.context, { app, destination }, recordedIn(app));
  const hosts = hostsIn(cache, grown, deps.context.settings().server.allowedNodeLabels);
  return hosts.length > 0 ? { ...grown, hosts } : grown;
}

/** The tree again whenever a change in the cluster may have affected it, at most ten times a second. */
export function watchTree(ctx: Ctx, deps: MethodDeps, call: MethodCall): AsyncGenerator<ResourceTree> {
  const app = findApplication(deps, call, 'get'); // before the stream begins, for its status code
  return treesOf(ctx, deps, call, app);
}

async function* treesOf(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
  app: Application,
): AsyncGenerator<ResourceTree> {
  const { cache } = deps.context.clusters.resolve(app.spec.destination);
  let reported = '';
  for await (const _change of quietly(ctx, cache.changes(ctx))) {
    const now = await tree(ctx, deps, call);
    const text = printJson(now);
    if (text !== reported) yield now;
    reported = text;
  }
}

/** Yields once for any number of changes since the last. */
async function* quietly(ctx: Ctx, changes: AsyncGenerator<unknown>): AsyncGenerator<undefined> {
  let pending = changes.next();
  while (!(await pending).done) {
    await ctx.clock.sleep(100, ctx.signal).catch(() => {});
    if (ctx.signal.aborted) return;
    pending = changes.next();
    let isMore = await settled(pending);
    while (isMore) {
      pending = changes.next();
      isMore = await settled(pending);
    }
    yield undefined;
  }
}

const later = Symbol('later');

async function settled(pending: Promise<IteratorResult<unknown>>): Promise<boolean> {
  const first = await Promise.race([pending, Promise.resolve(later)]);
  return first !== later && !(first as IteratorResult<unknown>).done;
}

/** The API's identifiers of an object. */
export type Coordinates = {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

export const coordinatesIn = (query: URLSearchParams): Coordinates => ({
  group: query.get('group') ?? '',
  kind: query.get('kind') ?? '',
  namespace: query.get('namespace') ?? '',
  name: query.get('resourceName') ?? '',
});

export type FoundObject = {
  readonly app: Application;
  readonly destination: AppDestination;
  readonly live: KubeObject;
};

/** A live object of an application's tree. Throws NotFound for any other object. */
export async function findObject(
  ctx: Ctx,
  deps: MethodDeps,
  app: Application,
  { group, kind, namespace, name }: Coordinates,
): Promise<FoundObject> {
  const destination = placeOrRefuse(deps, app);
  const { nodes, orphanedNodes = [] } = await grow(ctx, deps, app);
  const isIt = (one: ResourceTree['nodes'][number]): boolean =>
    one.kind === kind &&
    one.name === name &&
    (one.group ?? '') === group &&
    (one.namespace ?? '') === namespace;
  const isPart = nodes.some(isIt) || orphanedNodes.some(isIt);
  const key = keyFrom({ group, kind, name, ...(namespace && { namespace }) });
  const live = isPart ? await destination.cluster.cache.whole(ctx, key) : undefined;
  if (live) return { app, destination, live };
  throw new FairleadError('NotFound', `${kind} ${name} is not part of application ${app.metadata.name}`);
}
