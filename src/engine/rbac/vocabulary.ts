import type { Action } from './policy-index.ts';

const crud = ['get', 'create', 'update', 'delete'];

/** compat server §5.2: the resources of RBAC, and the actions of each. */
export const rbacActions: Readonly<Record<string, readonly string[]>> = {
  applications: [...crud, 'sync', 'rollback', 'override', 'action'],
  applicationsets: crud,
  logs: ['get'],
  exec: ['create'],
  projects: crud,
  clusters: crud,
  repositories: crud,
  'write-repositories': crud,
  certificates: ['get', 'create', 'delete'],
  gpgkeys: ['get', 'create', 'delete'],
  accounts: ['get', 'update'],
  extensions: ['invoke'],
};

const shortNames: Readonly<Record<string, string>> = {
  account: 'accounts',
  app: 'applications',
  apps: 'applications',
  application: 'applications',
  appset: 'applicationsets',
  applicationset: 'applicationsets',
  cert: 'certificates',
  certs: 'certificates',
  certificate: 'certificates',
  cluster: 'clusters',
  extension: 'extensions',
  gpgkey: 'gpgkeys',
  key: 'gpgkeys',
  log: 'logs',
  proj: 'projects',
  projs: 'projects',
  project: 'projects',
  repo: 'repositories',
  repos: 'repositories',
  repository: 'repositories',
};

/** compat: a resource by any name people use for it on the command line. */
export const resourceNamed = (name: string): string => shortNames[name] ?? name;

/** Why a resource and an action make no sense together; undefined when they do. */
export function actionProblem(resource: string, action: string): string | undefined {
  const actions = Object.hasOwn(rbacActions, resource) ? rbacActions[resource] : undefined;
  if (!actions) return `unknown resource "${resource}"; there are ${Object.keys(rbacActions).join(', ')}`;
  const [verb = '', ...path] = action.split('/');
  const isKnown =
    path.length === 0
      ? action !== 'action' && actions.includes(action)
      : mayHavePath(resource, verb) && path.some((segment) => segment !== '');
  if (isKnown) return undefined;
  return `unknown action "${action}" on ${resource}; there are ${actions.map(spelled).join(', ')}`;
}

const mayHavePath = (resource: string, verb: string): boolean =>
  resource === 'applications' && ['action', 'update', 'delete'].includes(verb);

const spelled = (action: string): string => (action === 'action' ? 'action/<group>/<kind>/<name>' : action);

export type CanIOptions = {
  /** The control plane's namespace, which is left out of objects. */
  readonly namespace: string;
  readonly rollbackEnforced: boolean;
};

const ofApplications: ReadonlySet<string> = new Set(['applications', 'applicationsets', 'logs', 'exec']);

/** compat server §5.7: a user's `can-i` query in the terms of the policy. */
export function normalizeQuestion(requested: Action, { namespace, rollbackEnforced }: CanIOptions): Action {
  const { resource, action, object } = requested;
  const [project = '', in_ = '', ...name] = object.split('/');
  const isHome = ofApplications.has(resource) && name.length === 1 && in_ === namespace;
  return {
    resource,
    // compat server §5.2: rollback is an action of its own only where that is switched on
    action: resource === 'applications' && action === 'rollback' && !rollbackEnforced ? 'sync' : action,
    object: isHome ? `${project}/${name[0]}` : object,
  };
}

/** The RBAC object of an application: its namespace is included only when it is not the control plane's. */
export function applicationObject(
  { project, namespace, name }: { project: string; namespace: string; name: string },
  controlPlane: string,
): string {
  return namespace === controlPlane || namespace === ''
    ? `${project}/${name}`
    : `${project}/${namespace}/${name}`;
}

/**
 * compat server §5.2: the actions of which one must be allowed to update or delete one object of an application. With
 * inheritance the application's own action is tried first and is enough.
 */
export function resourceActions(
  verb: 'update' | 'delete',
  { group, kind, namespace, name }: Record<'group' | 'kind' | 'namespace' | 'name', string>,
  isInherited: boolean,
): readonly string[] {
  const exact = `${verb}/${group}/${kind}/${namespace}/${name}`;
  return isInherited ? [verb, exact] : [exact];
}

/** compat engine X-52: moving an application to another project takes the right to change it there and to create it here. */
export function questionsToMove(
  app: { readonly namespace: string; readonly name: string },
  [from, to]: readonly [from: string, to: string],
  controlPlane: string,
): readonly Action[] {
  const resource = 'applications';
  return [
    { resource, action: 'update', object: applicationObject({ ...app, project: from }, controlPlane) },
    { resource, action: 'create', object: applicationObject({ ...app, project: to }, controlPlane) },
  ];
}
