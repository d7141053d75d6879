import { type Application, keyFrom, projectName, type ResourceStatus } from '#base/model';
import { type Ctx, FairleadError, isObject } from '#base/std';
import { type AppDestination, resolveDestination, runHealthScripts } from '#control/comparison';
import { type Action, applicationObject, health } from '#engine';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';

export const applicationRef = ({ metadata }: Pick<Application, 'metadata'>) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  name: metadata.name,
  namespace: metadata.namespace,
});

/**
 * The application a call names, for a caller that has one of the actions on it. compat server §2.4: what the caller may not see
 * gets the same response as what does not exist. A caller that may see the application learns which permission is missing. A
 * stream that was opened with it ends when the permission does.
 */
export function findApplication(
  deps: MethodDeps,
  call: MethodCall,
  ...actions: readonly [string, ...string[]]
): Application {
  const { permissions } = call;
  const { name, namespace, project: wanted } = named(deps, call);
  const requested = (action: string, project: string): Action => ({
    resource: 'applications',
    action,
    object: applicationObject({ project, namespace, name }, deps.context.namespace),
  });
  const isAllowed = (project: string): boolean =>
    actions.some((action) => permissions.may(requested(action, project)));
  const requireIn = (project: string): void => {
    if (isAllowed(project)) return;
    throw permissions.may(requested('get', project))
      ? permissions.denial(requested(actions[0], project))
      : hidden();
  };
  const app = deps.apps.get(namespace, name);
  if (wanted) requireIn(wanted);
  if (wanted && (!app || projectName(app) !== wanted))
    throw new FairleadError(
      'NotFound',
      `applications.argoproj.io "${name}" not found in namespace ${namespace}`,
    );
  if (!app) throw hidden();
  requireIn(projectName(app));
  permissions.keep(() => {
    const now = deps.apps.get(namespace, name);
    return !now || isAllowed(projectName(now));
  });
  return app;
}

type Named = { readonly name: string; readonly namespace: string; readonly project: string };

/** The name is in the path; the rest is in the query, or in the body where that is the whole request or the application. */
function named({ context }: MethodDeps, { params, query, body }: MethodCall): Named {
  const whole = isObject(body) ? body : {};
  const given = (key: string): string => query.get(key) || String(whole[key] ?? '');
  const own = isObject(whole.metadata) ? String(whole.metadata.namespace ?? '') : '';
  return {
    name: params.name ?? '',
    namespace: given('appNamespace') || own || context.namespace,
    project: given('project'),
  };
}

/** The RBAC object of an application, and an action on it. */
export const onApplication = (deps: MethodDeps, app: Application, action: string): Action => ({
  resource: 'applications',
  action,
  object: applicationObject(
    { project: projectName(app), namespace: app.metadata.namespace ?? '', name: app.metadata.name },
    deps.context.namespace,
  ),
});

/** The destination of an application. Throws InvalidSpec with every reason why it is invalid. */
export function placeOrRefuse({ context }: MethodDeps, app: Application): AppDestination {
  const placed = resolveDestination(context, app);
  if ('destination' in placed) return placed.destination;
  throw new FairleadError('InvalidSpec', placed.conditions.map(({ message }) => message).join('; '));
}

/**
 * compat engine A-24: health that the status does not store is read from the cluster now; an absent object is Missing.
 */
export async function withHealth(ctx: Ctx, { context }: MethodDeps, app: Application): Promise<Application> {
  const resources = app.status?.resources;
  if (!resources) return app;
  const cache = cacheOf(context, app);
  if (!cache) return app;
  const rows = resources.map((row) => {
    const { group = '', kind, namespace, name } = row;
    return { row, live: cache.get(keyFrom({ group, kind, name, ...(namespace && { namespace }) })) };
  });
  const options = await runHealthScripts(
    ctx,
    context,
    rows.flatMap(({ live }) => live ?? []),
    cache,
  );
  const shown = rows.map(({ row, live }): ResourceStatus => {
    const found = live ? health(live, options) : { status: 'Missing' as const };
    return found ? { ...row, health: found } : row;
  });
  return { ...app, status: { ...app.status, resources: shown } };
}

function cacheOf(context: MethodDeps['context'], app: Application) {
  try {
    return context.clusters.resolve(app.spec.destination).cache;
  } catch {
    return undefined; // a condition reports a destination that cannot be resolved
  }
}
