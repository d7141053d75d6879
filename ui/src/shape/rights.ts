import { type Application, type ApplicationSet, parseKey, projectName, type ResourceKey } from '#base/model';
import { projectOfSet } from './application-set.ts';

/** compat server §4: an application as policies name it; one in another namespace has that in its name. */
export const applicationObject = (app: Application): string => objectOf(projectName(app), app.metadata);

/** The same of a set, which belongs to the project of its template. */
export const setObject = (set: ApplicationSet): string => objectOf(projectOfSet(set), set.metadata);

/**
 * compat server §5.2: a write to one resource of an application. The action of the application itself is enough where the
 * settings say so, which only the server knows.
 */
export function resourceAction(verb: 'update' | 'delete', key: ResourceKey): readonly [string, string] {
  const { group, kind, namespace, name } = parseKey(key);
  return [`${verb}/${group}/${kind}/${namespace}/${name}`, verb];
}

/** compat server §5.7: the server takes `rollback` for `sync` unless its settings make it an action of its own. */
export const rollbackRight = (app: Application) => ({
  resource: 'applications',
  action: 'rollback',
  object: applicationObject(app),
});

function objectOf(
  project: string,
  { name, namespace = controller }: { name: string; namespace?: string },
): string {
  return namespace === controller ? `${project}/${name}` : `${project}/${namespace}/${name}`;
}

const controller = 'argocd';
