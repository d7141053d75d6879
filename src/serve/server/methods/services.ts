import type { RestRoute } from '../rest/routes.ts';
import type { ClusterDeps } from './clusters/cluster-deps.ts';
import { clusterRoutes } from './clusters/routes.ts';
import type { MethodDeps } from './deps.ts';
import { knativeRoutes } from './knative/routes.ts';
import type { KnativeDeps } from './knative/traffic-call.ts';
import type { NotificationDeps } from './notifications/notification-deps.ts';
import { notificationRoutes } from './notifications/routes.ts';
import type { ProjectTokenDeps } from './projects/project-tokens.ts';
import type { ProjectDeps } from './projects/read-projects.ts';
import { projectRoutes } from './projects/routes.ts';
import type { RepositoryDeps } from './repositories/repository-deps.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { type SettingsDeps, settingsRoutes } from './settings/routes.ts';
import type { GpgDeps } from './trust/gpg-keys.ts';
import { trustRoutes } from './trust/routes.ts';

/** The dependencies of the services beside applications, sets, accounts and the session. */
export type ServiceDeps = ProjectDeps &
  RepositoryDeps &
  ClusterDeps &
  Pick<GpgDeps, 'readKeys'> &
  SettingsDeps &
  NotificationDeps &
  Pick<KnativeDeps, 'traffic'>;

type All = MethodDeps & ServiceDeps & Pick<ProjectTokenDeps, 'namespace' | 'signToken'>;

/** Their endpoints with their methods; each service has a table of its own beside its methods. */
export const serviceRoutes = (deps: All): RestRoute[] => [
  ...projectRoutes(deps),
  ...repositoryRoutes(deps),
  ...clusterRoutes(deps),
  ...trustRoutes(deps),
  ...settingsRoutes(deps),
  ...notificationRoutes(deps),
  ...knativeRoutes(deps),
];
