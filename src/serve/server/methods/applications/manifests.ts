import { type Application, hasMultipleSources, keyFrom, type Source } from '#base/model';
import { type Ctx, printJson } from '#base/std';
import { type AppDestination, compareApplication, generateManifests } from '#control/comparison';
import { sourcesOf } from '#engine';
import type { ComparisonRequest, ManagedResource, RenderedManifests, ServerSideDiff } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findApplication, placeOrRefuse } from './find.ts';
import { type ComparedResource, shownOf } from './read.ts';
import { shownObject } from './resources.ts';
import { invalid } from './validate.ts';

/** compat server §2.8: the target manifests at the application's revisions, or at others; Secrets are masked. */
export async function manifests(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<RenderedManifests> {
  const app = findApplication(deps, call, 'get');
  const destination = placeOrRefuse(deps, app);
  const isFresh = call.query.get('noCache') === 'true';
  const options = {
    sources: sourcesAt(app, call.query),
    given: [],
    resolve: isFresh ? ('fresh' as const) : ('cached' as const),
    hard: isFresh,
  };
  return shownManifests(
    deps,
    { app, destination },
    await generateManifests(ctx, deps.context, { app, destination }, options),
  );
}

type AppWithDestination = { readonly app: Application; readonly destination: AppDestination };

/** Rendered manifests as callers see them: Secrets are masked. */
export function shownManifests(
  deps: MethodDeps,
  { app, destination }: AppWithDestination,
  { generated, target }: Awaited<ReturnType<typeof generateManifests>>,
): RenderedManifests {
  return {
    manifests: target.objects.map((object) => printJson(shownObject(deps, object))),
    namespace: app.spec.destination.namespace ?? '',
    server: destination.cluster.server,
    revision: generated.revisions[0] ?? '',
    sourceType: generated.sourceTypes[0] ?? '',
    commands: [...generated.commands],
  };
}

function sourcesAt(app: Application, query: URLSearchParams): readonly Source[] {
  const sources = sourcesOf(app);
  if (!hasMultipleSources(app.spec)) {
    const revision = query.get('revision');
    return revision ? sources.map((source) => ({ ...source, targetRevision: revision })) : sources;
  }
  const revisions = query.getAll('revisions');
  const wanted = new Map(
    query.getAll('sourcePositions').map((text, i) => [positionOf(text, sources), revisions[i]]),
  );
  return sources.map((source, i) => {
    const targetRevision = wanted.get(i + 1);
    return targetRevision ? { ...source, targetRevision } : source;
  });
}

export function positionOf(text: string, sources: readonly Source[]): number {
  const position = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (position >= 1 && position <= sources.length) return position;
  throw invalid(`source position is out of range: ${text}, of ${sources.length} sources`);
}

/**
 * compat server §2.8: what a server-side apply of the given manifests, or of the application's own, would change. The live side is
 * read here and not from the caller. An object that is not one of the application's resources is new, whatever the cluster has.
 */
export async function serverSideDiff(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ServerSideDiff> {
  const app = findApplication(deps, call, 'get');
  const destination = placeOrRefuse(deps, app);
  const given = call.query.getAll('targetManifests');
  const options = { given, resolve: 'cached' as const, hard: false, isRehearsal: true };
  const { comparison } = await compareApplication(ctx, deps.context, { app, destination }, options);
  const compared = ownOf(app, comparison.resources).filter(({ target }) => target || given.length === 0);
  const { sensitiveAnnotations } = deps.context.settings().resources;
  const items = [...shownOf(compared, sensitiveAnnotations)].map(predicted);
  return { items, modified: items.some(({ modified }) => modified) };
}

/**
 * Compares what is live with other manifests than those of the tracked revisions, for `app diff --local` and `--revision`. An
 * object that is not one of the application's resources is new, whatever the cluster has.
 */
export async function compare(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall<ComparisonRequest>,
): Promise<{ items: readonly ManagedResource[] }> {
  const app = findApplication(deps, call, 'get');
  const destination = placeOrRefuse(deps, app);
  const { manifests: given, serverSide = false } = call.body;
  const options = {
    sources: sourcesAt(app, queryOf(call.body)),
    ...(given && { given }),
    resolve: 'cached' as const,
    hard: false,
    ...(serverSide && { isRehearsal: true }),
  };
  const { comparison } = await compareApplication(ctx, deps.context, { app, destination }, options);
  const compared = ownOf(app, comparison.resources);
  const { sensitiveAnnotations } = deps.context.settings().resources;
  return { items: [...shownOf(compared, sensitiveAnnotations)] };
}

/** The revisions of a comparison, named as in a query. */
function queryOf({ revision, revisions, sourcePositions }: ComparisonRequest): URLSearchParams {
  const query = new URLSearchParams(revision ? { revision } : {});
  for (const one of revisions ?? []) query.append('revisions', one);
  for (const one of sourcePositions ?? []) query.append('sourcePositions', String(one));
  return query;
}

function ownedBy({ status }: Application): (one: ComparedResource) => boolean {
  const keys = new Set((status?.resources ?? []).map(keyed));
  return ({ status: one }) => keys.has(keyed(one));
}

const keyed = ({ group = '', kind, namespace, name }: ComparedResource['status']): string =>
  keyFrom({ group, kind, name, ...(namespace && { namespace }) });

/** The resources of a comparison, those that belong to others without their live objects. */
function ownOf(app: Application, resources: readonly ComparedResource[]): ComparedResource[] {
  const isOwn = ownedBy(app);
  return resources.map((one) => (isOwn(one) ? one : asNew(one)));
}

const asNew = ({ live: _live, ...rest }: ComparedResource): ComparedResource => ({
  ...rest,
  diff: { modified: true, fields: [] },
});

/** compat server §2.8: both sides as the cluster would have them. */
const predicted = ({
  predictedLiveState,
  normalizedLiveState,
  ...rest
}: ManagedResource): ManagedResource => ({
  ...rest,
  predictedLiveState,
  normalizedLiveState,
  targetState: predictedLiveState,
  liveState: normalizedLiveState,
});
