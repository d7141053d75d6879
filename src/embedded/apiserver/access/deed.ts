import { type Deed, fullResource, type RequestUser } from '../authorize.ts';
import { flag, type ParsedUrl, type ResourcePath } from '../path.ts';
import { forbidden, forbiddenPath, type StatusError } from '../status.ts';

/** The attributes of a request for authorization, in the terms of RBAC rules. */
export function deedOf(method: string, url: string, { where, query }: ParsedUrl): Deed {
  if (where.at === 'other') return { verb: method.toLowerCase(), path: url.split('?', 1)[0] ?? '' };
  const { group, plural: resource, subresource } = where.path;
  const verb = verbOf(method, where.path, query);
  const { namespace, name } = placeOf(where.path, query);
  return { verb, group, resource, subresource, namespace, name };
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  GET: 'get',
  HEAD: 'get',
};

function verbOf(method: string, { name }: ResourcePath, query: URLSearchParams): string {
  const verb = verbs[method] ?? '';
  if (name !== '') return verb;
  if (verb === 'get') return flag(query, 'watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** compat cluster 3.18: a namespace is in itself, and a list of the one object with a name is about that object. */
function placeOf({ plural, group, namespace, name }: ResourcePath, query: URLSearchParams) {
  if (group === '' && plural === 'namespaces') return { namespace: name, name };
  if (name !== '') return { namespace, name };
  const chosen = /^metadata\.name==?([^,=!]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';
  return { namespace, name: chosen };
}

/** compat cluster 3.17: the Forbidden error for a deed. */
export function refusalOf({ name }: RequestUser, deed: Deed, reason: string): StatusError {
  const why = reason === '' ? '' : `: ${reason}`;
  if ('path' in deed) {
    return forbiddenPath(`User "${name}" cannot ${deed.verb} path "${deed.path}"${why}`);
  }
  const scope = deed.namespace === '' ? 'at the cluster scope' : `in the namespace "${deed.namespace}"`;
  const what = `resource "${fullResource(deed)}" in API group "${deed.group}" ${scope}`;
  const of = { group: deed.group, plural: deed.resource, kind: deed.resource };
  return forbidden(of, deed.name, `User "${name}" cannot ${deed.verb} ${what}${why}`);
}
