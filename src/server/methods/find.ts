import { health } from '#engine';
import { healthOptions } from '#look';
import { type Application, keyFrom, type ResourceStatus } from '#model';
import { FairleadError } from '#std';
import type { Call } from '../rest/request.ts';
import type { MethodDeps } from './deps.ts';

export const applicationRef = ({ metadata }: Pick<Application, 'metadata'>) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  name: metadata.name,
  namespace: metadata.namespace,
});

/** The application a call names. Throws NotFound in the peer's words. */
export function findApplication({ apps, world }: MethodDeps, { params, query }: Call): Application {
  const name = params.name ?? '';
  const namespace = query.get('appNamespace') || world.namespace;
  const found = apps.get(namespace, name);
  if (found) return found;
  throw new FairleadError(
    'NotFound',
    `applications.argoproj.io "${name}" not found in namespace ${namespace}`,
  );
}

/** compat A-24: what the status does not store is read from the cluster as it is now; what is not there is Missing. */
export function withHealth({ world }: MethodDeps, app: Application): Application {
  const resources = app.status?.resources;
  if (!resources) return app;
  const cache = cacheOf(world, app);
  if (!cache) return app;
  const options = healthOptions(world);
  const shown = resources.map((row): ResourceStatus => {
    const { group = '', kind, namespace, name } = row;
    const live = cache.get(keyFrom({ group, kind, name, ...(namespace && { namespace }) }));
    const found = live ? health(live, options) : { status: 'Missing' as const };
    return found ? { ...row, health: found } : row;
  });
  return { ...app, status: { ...app.status, resources: shown } };
}

function cacheOf(world: MethodDeps['world'], app: Application) {
  try {
    return world.clusters.resolve(app.spec.destination).cache;
  } catch {
    return undefined; // a destination that cannot be resolved is told by a condition
  }
}
