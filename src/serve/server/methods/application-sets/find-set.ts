import { type ApplicationSet, maskerOf } from '#base/model';
import { type Action, applicationObject } from '#engine';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';

/** compat sources ASN-2: a set belongs to the project of its template. */
export const projectOfSet = ({ spec }: ApplicationSet): string => spec.template?.spec?.project || 'default';

/** An action on a set. */
export const onSet = (
  { context }: Pick<MethodDeps, 'context'>,
  set: ApplicationSet,
  action: string,
): Action => ({
  resource: 'applicationsets',
  action,
  object: applicationObject(
    { project: projectOfSet(set), namespace: set.metadata.namespace ?? '', name: set.metadata.name },
    context.namespace,
  ),
});

/** The watch spells it `appSetNamespace`, every other method `appsetNamespace` (compat server §2.8). */
export const setNamespaceIn = (query: URLSearchParams): string =>
  query.get('appsetNamespace') || query.get('appSetNamespace') || '';

/**
 * The set a call names, for a caller that has the action on it. What the caller may not see gets the same response as what
 * does not exist; a stream ends with the permission.
 */
export function findSet(
  deps: MethodDeps,
  { params, query, permissions }: MethodCall,
  action: string,
): ApplicationSet {
  const namespace = setNamespaceIn(query) || deps.context.namespace;
  const set = deps.sets.get(namespace, params.name ?? '');
  if (!set || !permissions.may(onSet(deps, set, 'get'))) {
    permissions.waive();
    throw hidden();
  }
  permissions.require(onSet(deps, set, action));
  return set;
}

const masked = new WeakMap<ApplicationSet, ApplicationSet>();

/** The set without the secrets of its template. Objects of the cluster never change, so the result is cached. */
export function maskSet(set: ApplicationSet): ApplicationSet {
  const known = masked.get(set);
  if (known) return known;
  const shown = maskerOf(set)(set);
  masked.set(set, shown);
  return shown;
}
