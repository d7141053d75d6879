import { type Application, projectName, sameRepo } from '#base/model';
import type { Ctx } from '#base/std';
import type { ApplicationList, ApplicationWatchEvent } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { filterOf, newestVersion, sortedByName, type WatchedChange, watchObjects } from '../watch-objects.ts';
import { onApplication, withHealth } from './find.ts';

/** Complete and sorted by name (compat server §2.6). */
export async function list(_ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ApplicationList> {
  const all = deps.apps.list();
  const resourceVersion = newestVersion(all);
  const items = sortedByName(all.filter(visibleTo(deps, call)));
  return { metadata: { ...(resourceVersion && { resourceVersion }) }, items };
}

/** compat server §2.8: what the caller may not get is left out, without a word. */
function visibleTo(deps: MethodDeps, { query, permissions }: MethodCall): (app: Application) => boolean {
  const namespace = query.get('appNamespace') ?? '';
  const isWanted = filterOf<Application>({ query, namespace, projectOf: projectName });
  const repo = query.get('repo');
  permissions.waive(); // there may be no application to decide about
  return (app) =>
    isWanted(app) &&
    (!repo || sameRepo(app.spec.source?.repoURL ?? '', repo)) &&
    permissions.may(onApplication(deps, app, 'get'));
}

/** Everything that the filter matches and the caller may get, then its changes (compat server §2.5). */
export function watch(ctx: Ctx, deps: MethodDeps, call: MethodCall): AsyncGenerator<ApplicationWatchEvent> {
  const isShown = visibleTo(deps, call);
  return eventsOf(ctx, deps, watchObjects(ctx, { objects: deps.apps, query: call.query, isShown }));
}

async function* eventsOf(
  ctx: Ctx,
  deps: MethodDeps,
  changes: AsyncIterable<WatchedChange<Application>>,
): AsyncGenerator<ApplicationWatchEvent> {
  for await (const { type, object } of changes)
    yield { type, application: await withHealth(ctx, deps, object) };
}
