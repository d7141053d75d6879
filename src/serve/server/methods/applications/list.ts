import { type Application, maskApplication, projectName, qualifiedName, sameRepo } from '#base/model';
import { type Ctx, printJson, SingleFlight, sha256 } from '#base/std';
import type { ApplicationList, ApplicationWatchEvent } from '#serve/api';
import { selectionIn } from '../../rest/fields.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { allByName, filterOf, newestVersion, type WatchedChange, watchObjects } from '../watch-objects.ts';
import { onApplication, withHealth } from './find.ts';
import { continueAfter, type Page, pageIn, searchIn } from './page.ts';

export type ListedApplications = {
  readonly metadata: ApplicationList['metadata'];
  readonly items: Iterable<Application>;
  /** Masked applications are cached with their originals. */
  readonly areLasting: true;
};

/** compat server §2.6: complete and sorted by name, unless a page is requested. Masked. */
export async function list(_ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ListedApplications> {
  const { query } = call;
  const all = allByName(deps.apps);
  const resourceVersion = newestVersion(all);
  const metadata = { ...(resourceVersion && { resourceVersion }) };
  const { isWanted, mayGet } = visibleTo(deps, call);
  const isFound = searchIn(query);
  const sorted = all.filter((app) => isWanted(app) && isFound(app));
  const show = shownFor(query);
  const page = pageIn(query);
  if (!page) return { metadata, items: visible(sorted, mayGet, show), areLasting: true };
  const { items, next } = pageOf(sorted, page, mayGet);
  return {
    metadata: { ...metadata, ...(next && { continue: next }) },
    items: items.map(show),
    areLasting: true,
  };
}

/** Permissions are decided as items are sent: the first of ten thousand does not wait for the last. */
function* visible(
  apps: readonly Application[],
  mayGet: (app: Application) => boolean,
  show: (app: Application) => Application,
): Generator<Application> {
  for (const app of apps) if (mayGet(app)) yield show(app);
}

function pageOf(
  sorted: readonly Application[],
  { limit, after }: Page,
  mayGet: (app: Application) => boolean,
) {
  const items: Application[] = [];
  for (const app of sorted) {
    if (qualifiedName(app) <= after || !mayGet(app)) continue;
    const last = items.at(-1);
    if (last && items.length >= limit) return { items, next: continueAfter(qualifiedName(last)) };
    items.push(app);
  }
  return { items };
}

/** compat server §2.6 [BUG]: in a list this field is the result of the sync, which Argo CD's page reads there. */
const misnamed = 'items.status.operationState.operation.sync';

function shownFor(query: URLSearchParams): (app: Application) => Application {
  const fields = query.getAll('fields').join(',').split(',');
  if (!fields.includes(misnamed)) return maskApplication;
  return (app) => {
    const shown = maskApplication(app);
    const { operationState } = shown.status ?? {};
    if (!operationState?.syncResult) return shown;
    const operation = { ...operationState.operation, sync: operationState.syncResult };
    return { ...shown, status: { ...shown.status, operationState: { ...operationState, operation } } };
  };
}

/** compat server §2.8: what the caller may not get is left out, without a word. */
function visibleTo(deps: MethodDeps, { query, permissions }: MethodCall) {
  const namespace = query.get('appNamespace') ?? '';
  const isListed = filterOf<Application>({ query, namespace, projectOf: projectName });
  const repo = query.get('repo');
  permissions.waive(); // there may be no application to decide about
  const isWanted = (app: Application): boolean =>
    isListed(app) && (!repo || sameRepo(app.spec.source?.repoURL ?? '', repo));
  const mayGet = (app: Application): boolean => permissions.may(onApplication(deps, app, 'get'));
  return { isWanted, mayGet };
}

/** Everything that the filter matches and the caller may get, then its changes (compat server §2.5). */
export function watch(ctx: Ctx, deps: MethodDeps, call: MethodCall): AsyncGenerator<ApplicationWatchEvent> {
  const { isWanted, mayGet } = visibleTo(deps, call);
  const isShown = (app: Application): boolean => isWanted(app) && mayGet(app);
  const changes = watchObjects(ctx, { objects: deps.apps, query: call.query, isShown });
  return withoutRepeats(call.query, eventsOf(ctx, deps, changes));
}

async function* eventsOf(
  ctx: Ctx,
  deps: MethodDeps,
  changes: AsyncIterable<WatchedChange<Application>>,
): AsyncGenerator<ApplicationWatchEvent> {
  for await (const change of changes) yield await eventOf(ctx, deps, change);
}

const events = new SingleFlight<ApplicationWatchEvent>();

/** Masked. The streams that report a change at the same time share one message, which is then printed once. */
function eventOf(
  ctx: Ctx,
  deps: MethodDeps,
  { type, object }: WatchedChange<Application>,
): Promise<ApplicationWatchEvent> {
  const { uid, resourceVersion } = object.metadata;
  return events.run(ctx, `${type} ${uid} ${resourceVersion}`, async (shared) => {
    const application = maskApplication(await withHealth(shared, deps, object));
    return { type, application };
  });
}

/** compat server §2.5: of one application, what equals the message before in the fields that the reader wants is left out. */
async function* withoutRepeats(
  query: URLSearchParams,
  changes: AsyncGenerator<ApplicationWatchEvent>,
): AsyncGenerator<ApplicationWatchEvent> {
  const fields = selectionIn(query)?.below('result').below('application');
  if (!fields) return yield* changes;
  const sent = new Map<string, string>();
  for await (const event of changes) {
    const name = qualifiedName(event.application);
    const digest = sha256(printJson(fields.pick(event.application)));
    if (event.type === 'MODIFIED' && sent.get(name) === digest) continue;
    if (event.type === 'DELETED') sent.delete(name);
    else sent.set(name, digest);
    yield event;
  }
}
