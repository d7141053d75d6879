import {
  type Application,
  maskerOf,
  matches,
  parseSelector,
  printTime,
  projectName,
  qualifiedName,
  sameRepo,
} from '#base/model';
import { type Ctx, FairleadError, printJson } from '#base/std';
import { compareApplication } from '#control/comparison';
import { redact } from '#engine';
import type { ApplicationList, ApplicationWatchEvent, ManagedResource, RevisionMetadata } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { findApplication, onApplication, placeOrRefuse, withHealth } from './find.ts';

/** Complete and sorted by name; there is no paging (compat server §2.6). */
export async function list(_ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ApplicationList> {
  const items = deps.apps.list().filter(visibleTo(deps, call)).sort(byName);
  return { metadata: {}, items };
}

const byName = (a: Application, b: Application): number => (qualifiedName(a) < qualifiedName(b) ? -1 : 1);

/** compat server §2.8: what the caller may not get is left out, without a word. */
function visibleTo(deps: MethodDeps, { query, permissions }: MethodCall): (app: Application) => boolean {
  const isWanted = filterOf(query);
  permissions.waive(); // there may be no application to decide about
  return (app) => isWanted(app) && permissions.may(onApplication(deps, app, 'get'));
}

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

/**
 * Everything that the filter matches and the caller may get, then its changes (compat server §2.5). An application that
 * leaves the filter, or moves to a project of which the caller may not get it, is reported as deleted.
 */
export function watch(ctx: Ctx, deps: MethodDeps, call: MethodCall): AsyncGenerator<ApplicationWatchEvent> {
  return eventsOf(ctx, deps, call.query, visibleTo(deps, call));
}

async function* eventsOf(
  ctx: Ctx,
  deps: MethodDeps,
  query: URLSearchParams,
  isVisible: (app: Application) => boolean,
): AsyncGenerator<ApplicationWatchEvent> {
  const changes = deps.apps.changes(ctx);
  const isResumed = !query.get('name') && query.get('resourceVersion');
  const present = isResumed ? [] : deps.apps.list().filter(isVisible).sort(byName);
  for (const app of present) yield { type: 'ADDED', application: await withHealth(ctx, deps, app) };
  for await (const change of changes) {
    const [before, after] = [change.before, change.after].map((one) =>
      one && isVisible(one as Application) ? (one as Application) : undefined,
    );
    const app = after ?? before;
    if (!app) continue;
    const type = after ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
    yield { type, application: await withHealth(ctx, deps, app) };
  }
}

/** Target and live of every managed resource, masked, with the differences and their field managers. */
export async function managedResources(
  ctx: Ctx,
  deps: MethodDeps,
  call: MethodCall,
): Promise<Iterable<ManagedResource>> {
  const app = findApplication(deps, call, 'get');
  const place = placeOrRefuse(deps, app);
  const { revision, revisions } = app.status?.sync ?? {};
  const recorded = revisions ?? (revision ? [revision] : undefined);
  const options = { ...(recorded && { revisions: recorded }), resolve: 'cached' as const, hard: false };
  const { comparison } = await compareApplication(ctx, deps.world, { app, place }, options);
  const { sensitiveAnnotations } = deps.world.settings().resources;
  return shownOf(comparison.resources.filter(wantedBy(call.query)), sensitiveAnnotations);
}

const asItIs = <T>(value: T): T => value;
const isApplication = ({ group, kind }: { readonly group?: string; readonly kind: string }): boolean =>
  kind === 'Application' && group === 'argoproj.io';

type Compared = Awaited<ReturnType<typeof compareApplication>>['comparison']['resources'][number];

function wantedBy(query: URLSearchParams): (resource: Compared) => boolean {
  const asked = (['group', 'kind', 'namespace', 'name'] as const).flatMap((field) => {
    const value = query.get(field);
    return value === null ? [] : [[field, value] as const];
  });
  return ({ status }) => asked.every(([field, value]) => (status[field] ?? '') === value);
}

/** One at a time, as they are sent: four texts of each of thousands are too much for memory. */
function* shownOf(
  resources: readonly Compared[],
  sensitiveAnnotations: readonly string[],
): Generator<ManagedResource> {
  for (const resource of resources) {
    const { target, live, diff, status } = resource;
    const { group, kind, namespace, name } = status;
    yield {
      ...(group && { group }),
      kind,
      ...(namespace && { namespace }),
      name,
      ...statesOf(resource, sensitiveAnnotations),
      ...(live?.metadata.resourceVersion && { resourceVersion: live.metadata.resourceVersion }),
      modified: diff.modified || !target || !live,
      ...(status.hook && { hook: true }),
    };
  }
}

/** The visible part of both sides. An Application that another one deploys shows no more than in a list. */
function statesOf({ target, live, diff, status }: Compared, sensitiveAnnotations: readonly string[]) {
  const shown = redact({ ...(target && { target }), ...(live && { live }) }, { sensitiveAnnotations });
  const mask = isApplication(status) ? maskerOf(target, live) : asItIs;
  const state = (object: unknown): string => printJson(mask(object ?? null));
  return {
    targetState: state(shown.target),
    liveState: state(shown.live),
    normalizedLiveState: state(diff.normalizedLive ?? shown.live),
    predictedLiveState: state(diff.predictedLive ?? shown.target),
    fields: diff.fields.map(({ writer, ...field }) => ({
      ...mask(field),
      ...(writer && { manager: writer.manager, ...(writer.time && { time: writer.time }) }),
    })),
  };
}

/** Author, date and message of a revision. */
export async function revision(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<RevisionMetadata> {
  const app = findApplication(deps, call, 'get');
  const source = app.spec.source ?? app.spec.sources?.[Number(call.query.get('sourceIndex') ?? 0)];
  if (!source) throw new FairleadError('NotFound', `application ${app.metadata.name} has no such source`);
  const wanted = call.params.revision ?? '';
  const { author, date, message } = await deps.describe(ctx, source, wanted, projectName(app));
  return { author, message, ...(date && { date: printTime(date) }) };
}
