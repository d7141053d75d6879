import type {
  ApplicationEvent,
  ApplicationList,
  ManagedResource,
  ResourceTree,
  RevisionMetadata,
} from '#api';
import { redact } from '#engine';
import { look, placeOf, treeOf } from '#look';
import {
  type Application,
  keyFrom,
  matches,
  parseSelector,
  printTime,
  projectName,
  qualifiedName,
  sameRepo,
} from '#model';
import { type Ctx, FairleadError, printJson } from '#std';
import type { Call } from '../rest/request.ts';
import type { MethodDeps } from './deps.ts';
import { findApplication, withHealth } from './find.ts';

/** Complete and sorted by name; there is no paging (compat server §2.6). */
export async function list(_ctx: Ctx, deps: MethodDeps, { query }: Call): Promise<ApplicationList> {
  const items = deps.apps.list().filter(filterOf(query)).sort(byName);
  return { metadata: {}, items };
}

const byName = (a: Application, b: Application): number => (qualifiedName(a) < qualifiedName(b) ? -1 : 1);

function filterOf(query: URLSearchParams): (app: Application) => boolean {
  const projects = [...query.getAll('projects'), ...query.getAll('project')].filter(Boolean);
  const [name, repo, namespace] = [query.get('name'), query.get('repo'), query.get('appNamespace')];
  const selector = parseSelector(query.get('selector') ?? '');
  return (app) =>
    (!name || app.metadata.name === name) &&
    (!namespace || app.metadata.namespace === namespace) &&
    (projects.length === 0 || projects.includes(projectName(app))) &&
    (!repo || sameRepo(app.spec.source?.repoURL ?? '', repo)) &&
    matches(selector, app.metadata.labels ?? {});
}

/** Everything the filter lets through, then its changes (compat server §2.5). */
export async function* watch(ctx: Ctx, deps: MethodDeps, { query }: Call): AsyncGenerator<ApplicationEvent> {
  const isWanted = filterOf(query);
  const changes = deps.apps.changes(ctx);
  const isResumed = !query.get('name') && query.get('resourceVersion');
  const present = isResumed ? [] : deps.apps.list().filter(isWanted).sort(byName);
  for (const app of present) yield { type: 'ADDED', application: await withHealth(ctx, deps, app) };
  for await (const { before, after } of changes) {
    const app = (after ?? before) as Application;
    if (!isWanted(app)) continue;
    const type = after ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
    yield { type, application: await withHealth(ctx, deps, app) };
  }
}

/** What is on record as managed, and everything below it as it is now. */
export async function tree(ctx: Ctx, deps: MethodDeps, call: Call): Promise<ResourceTree> {
  const app = findApplication(deps, call);
  const placed = placeOf(deps.world, app);
  if (!('place' in placed)) return { nodes: [], orphanedNodes: [] };
  const { cache } = placed.place.cluster;
  await cache.whenSynced(ctx);
  const managed = (app.status?.resources ?? []).map(({ group = '', kind, namespace, name, version = '' }) => {
    const key = keyFrom({ group, kind, name, ...(namespace && { namespace }) });
    const apiVersion = group ? `${group}/${version}` : version;
    return { key, target: { apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } } };
  });
  return treeOf(ctx, deps.world, cache, managed);
}

/** The tree again whenever something in the cluster may have changed it, at most ten times a second. */
export async function* watchTree(ctx: Ctx, deps: MethodDeps, call: Call): AsyncGenerator<ResourceTree> {
  const app = findApplication(deps, call);
  const { cache } = deps.world.clusters.resolve(app.spec.destination);
  let told = '';
  for await (const _change of quietly(ctx, cache.changes(ctx))) {
    const now = await tree(ctx, deps, call);
    const text = printJson(now);
    if (text !== told) yield now;
    told = text;
  }
}

/** One turn for any number of changes that came since the last. */
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

/** Target and live of every managed resource, masked, with what differs and who wrote it. */
export async function managedResources(
  ctx: Ctx,
  deps: MethodDeps,
  call: Call,
): Promise<{ items: ManagedResource[] }> {
  const app = findApplication(deps, call);
  const placed = placeOf(deps.world, app);
  if (!('place' in placed)) {
    throw new FairleadError('InvalidSpec', placed.conditions.map(({ message }) => message).join('; '));
  }
  const { revision, revisions } = app.status?.sync ?? {};
  const recorded = revisions ?? (revision ? [revision] : undefined);
  const options = { ...(recorded && { revisions: recorded }), resolve: 'cached' as const, hard: false };
  const { comparison } = await look(ctx, deps.world, { app, place: placed.place }, options);
  const { sensitiveAnnotations } = deps.world.settings().resources;
  const items = comparison.resources.map(({ key: _key, target, live, diff, status }): ManagedResource => {
    const shown = redact({ ...(target && { target }), ...(live && { live }) }, { sensitiveAnnotations });
    const { group, kind, namespace, name } = status;
    return {
      ...(group && { group }),
      kind,
      ...(namespace && { namespace }),
      name,
      targetState: printJson(shown.target ?? null),
      liveState: printJson(shown.live ?? null),
      normalizedLiveState: printJson(diff.normalizedLive ?? shown.live ?? null),
      predictedLiveState: printJson(diff.predictedLive ?? shown.target ?? null),
      ...(live?.metadata.resourceVersion && { resourceVersion: live.metadata.resourceVersion }),
      modified: diff.modified || !target || !live,
      ...(status.hook && { hook: true }),
      fields: diff.fields.map(({ writer, ...field }) => ({
        ...field,
        ...(writer && { manager: writer.manager, ...(writer.time && { time: writer.time }) }),
      })),
    };
  });
  return { items: wanted(items, call.query) };
}

function wanted(items: ManagedResource[], query: URLSearchParams): ManagedResource[] {
  const asked = (['group', 'kind', 'namespace', 'name'] as const).flatMap((field) => {
    const value = query.get(field);
    return value === null ? [] : [[field, value] as const];
  });
  return items.filter((item) => asked.every(([field, value]) => (item[field] ?? '') === value));
}

/** Who made a commit, when and why. */
export async function revision(ctx: Ctx, deps: MethodDeps, call: Call): Promise<RevisionMetadata> {
  const app = findApplication(deps, call);
  const source = app.spec.source ?? app.spec.sources?.[Number(call.query.get('sourceIndex') ?? 0)];
  if (!source) throw new FairleadError('NotFound', `application ${app.metadata.name} has no such source`);
  const commit = call.params.revision ?? '';
  const { author, date, message } = await deps.describeCommit(ctx, source, commit, projectName(app));
  return { author, date: printTime(date), message };
}

/** One live object of an application's tree, as it is, with secrets masked. */
export async function resource(ctx: Ctx, deps: MethodDeps, call: Call): Promise<{ manifest: string }> {
  const { query } = call;
  const [kind, name] = [query.get('kind') ?? '', query.get('resourceName') ?? ''];
  const { nodes } = await tree(ctx, deps, call);
  const node = nodes.find(
    (one) =>
      one.kind === kind &&
      one.name === name &&
      (one.group ?? '') === (query.get('group') ?? '') &&
      (one.namespace ?? '') === (query.get('namespace') ?? ''),
  );
  const app = findApplication(deps, call);
  const { cache } = deps.world.clusters.resolve(app.spec.destination);
  const { group = '', namespace } = node ?? {};
  const live = node && cache.get(keyFrom({ group, kind, name, ...(namespace && { namespace }) }));
  if (!live)
    throw new FairleadError('NotFound', `${kind} ${name} is not part of application ${app.metadata.name}`);
  const { sensitiveAnnotations } = deps.world.settings().resources;
  return { manifest: printJson(redact({ live }, { sensitiveAnnotations }).live) };
}
