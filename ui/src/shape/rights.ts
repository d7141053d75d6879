import { type Application, type ApplicationSet, projectName } from '#base/model';
import { projectOfSet } from './application-set.ts';

/** compat server §4: an application as policies name it; one in another namespace has that in its name. */
export const applicationObject = (app: Application): string => objectOf(projectName(app), app.metadata);

/** The same of a set, which belongs to the project of its template. */
export const setObject = (set: ApplicationSet): string => objectOf(projectOfSet(set), set.metadata);

function objectOf(
  project: string,
  { name, namespace = controller }: { name: string; namespace?: string },
): string {
  return namespace === controller ? `${project}/${name}` : `${project}/${namespace}/${name}`;
}

const controller = 'argocd';
