import { type Application, projectName } from '#base/model';

/** compat server §4: an application as policies name it; one in another namespace has that in its name. */
export function applicationObject(app: Application, controllerNamespace = 'argocd'): string {
  const { name, namespace = controllerNamespace } = app.metadata;
  return namespace === controllerNamespace
    ? `${projectName(app)}/${name}`
    : `${projectName(app)}/${namespace}/${name}`;
}
