import { fullResource, type RequestAttributes, type RequestUser } from '../authorize.ts';
import { flag, type ParsedUrl, type ResourcePath } from '../path.ts';
import { forbidden, forbiddenPath, type StatusError } from '../status.ts';

/** The attributes of a request for authorization, in the terms of RBAC rules. */
export function attributesOf(method: string, url: string, { where, query }: ParsedUrl): RequestAttributes {
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

/** compat cluster 3.17: the Forbidden error for the attributes. */
export function refusalOf({ name }: RequestUser, attributes: RequestAttributes, reason: string): StatusError {
  const why = reason === '' ? '' : `: ${reason}`;
  if ('path' in attributes) {
    return forbiddenPath(`User "${name}" cannot ${attributes.verb} path "${attributes.path}"${why}`);
  }
  const scope =
    attributes.namespace === '' ? 'at the cluster scope' : `in the namespace "${attributes.namespace}"`;
  const what = `resource "${fullResource(attributes)}" in API group "${attributes.group}" ${scope}`;
  const of = { group: attributes.group, plural: attributes.resource, kind: attributes.resource };
  return forbidden(of, attributes.name, `User "${name}" cannot ${attributes.verb} ${what}${why}`);
}
