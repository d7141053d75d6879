import { type Application, keyFrom, type ResourceStatus } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type AppDestination, resolveDestination, runHealthScripts } from '#control/comparison';
import { health } from '#engine';
import type { MethodCall } from '../rest/request.ts';
import type { MethodDeps } from './deps.ts';

export const applicationRef = ({ metadata }: Pick<Application, 'metadata'>) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  name: metadata.name,
  namespace: metadata.namespace,
});

/** The application a call names. Throws NotFound with Argo CD's message. */
export function findApplication({ apps, world }: MethodDeps, { params, query }: MethodCall): Application {
  const name = params.name ?? '';
  const namespace = query.get('appNamespace') || world.namespace;
  const found = apps.get(namespace, name);
  if (found) return found;
  throw new FairleadError(
    'NotFound',
    `applications.argoproj.io "${name}" not found in namespace ${namespace}`,
  );
}

/** The destination of an application. Throws InvalidSpec with every reason why it is invalid. */
export function placeOrRefuse({ world }: MethodDeps, app: Application): AppDestination {
  const placed = resolveDestination(world, app);
  if ('place' in placed) return placed.place;
  throw new FairleadError('InvalidSpec', placed.conditions.map(({ message }) => message).join('; '));
}

/**
 * compat engine A-24: health that the status does not store is read from the cluster now; an absent object is Missing.
 */
export async function withHealth(ctx: Ctx, { world }: MethodDeps, app: Application): Promise<Application> {
  const resources = app.status?.resources;
  if (!resources) return app;
  const cache = cacheOf(world, app);
  if (!cache) return app;
  const rows = resources.map((row) => {
    const { group = '', kind, namespace, name } = row;
    return { row, live: cache.get(keyFrom({ group, kind, name, ...(namespace && { namespace }) })) };
  });
  const options = await runHealthScripts(
    ctx,
    world,
    rows.flatMap(({ live }) => live ?? []),
    cache,
  );
  const shown = rows.map(({ row, live }): ResourceStatus => {
    const found = live ? health(live, options) : { status: 'Missing' as const };
    return found ? { ...row, health: found } : row;
  });
  return { ...app, status: { ...app.status, resources: shown } };
}

function cacheOf(world: MethodDeps['world'], app: Application) {
  try {
    return world.clusters.resolve(app.spec.destination).cache;
  } catch {
    return undefined; // a condition reports a destination that cannot be resolved
  }
}
