import { type Application, type AppProject, projectName, qualifiedName } from '#base/model';
import { denyNamespace } from './namespaces.ts';

/**
 * compat engine P-3, P-4: what blocks the deletion of a project; undefined when nothing does. Only
 * applications that the project permits block it: any application could name it.
 */
export function denyProjectDeletion(
  project: AppProject,
  apps: Iterable<Application>,
  controlPlane: string,
): string | undefined {
  const { name } = project.metadata;
  if (name === 'default')
    return 'the project default cannot be deleted: applications without a project belong to it';
  for (const app of apps) {
    const namespace = app.metadata.namespace ?? controlPlane;
    if (projectName(app) === name && !denyNamespace(project, namespace, controlPlane)) {
      return `project ${name} is used by application ${qualifiedName(app)}; move or delete it first`;
    }
  }
  return undefined;
}
