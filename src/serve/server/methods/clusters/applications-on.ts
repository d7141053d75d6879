import type { RegisteredCluster } from '#base/model';
import { trimServer } from '#base/model';
import type { MethodDeps } from '../deps.ts';

/** How many applications have the cluster as their destination, by its address or by its name. */
export function applicationsOn(
  { apps }: Pick<MethodDeps, 'apps'>,
  { server, name }: Pick<RegisteredCluster, 'server' | 'name'>,
): number {
  const isOn = (destination: { server?: string; name?: string } | undefined): boolean =>
    destination?.server ? trimServer(destination.server) === server : destination?.name === name;
  return apps.list().filter(({ spec }) => isOn(spec?.destination)).length;
}
