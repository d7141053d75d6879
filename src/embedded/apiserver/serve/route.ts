import { negotiate } from '../accept.ts';
import type { RequestUser } from '../authorize.ts';
import { type Core, lookUp } from '../core.ts';
import { isBuiltinGroup, type ServedResource } from '../kinds.ts';
import { flag, type ResourcePath } from '../path.ts';
import type { ServedRequest, ServedResponse } from '../request.ts';
import {
  badRequest,
  methodNotAllowed,
  noSuchResource,
  notFound,
  notSupportedYet,
  StatusError,
} from '../status.ts';
import { scaleStored } from '../write/scale.ts';
import { objectAnswer, warningHeader } from './answer.ts';
import { type ServedCall, scaleResource } from './call.ts';
import { deprecations } from './deprecated.ts';
import { list } from './list.ts';
import { checkedVersion, parseListOptions } from './list-options.ts';
import { type PodLogs, podLog } from './pod-log.ts';
import { watch } from './watch.ts';
import { writeCollection, writeObject } from './write.ts';

export type Serving = {
  readonly core: Core;
  readonly podLogs: PodLogs | undefined;
  readonly user: RequestUser;
};

/** Serves a request below a group version; undefined when the path is not served. */
export async function route(
  { core, podLogs, user }: Serving,
  request: ServedRequest,
  path: ResourcePath,
  query: URLSearchParams,
): Promise<ServedResponse | undefined> {
  const resource = core.kinds.find(path.group, path.version, path.plural);
  if (!resource || !isPlausible(resource, path)) return unknownPlace(path);
  // compat cluster 2.9: across namespaces only reads are allowed
  if (resource.namespaced && path.namespace === '' && request.method !== 'GET') throw methodNotAllowed();
  const call: ServedCall = { core, request, user, resource, path, query, warnings: deprecations(resource) };
  try {
    const answer = await served(call, podLogs);
    if (!answer || call.warnings.length === 0) return answer;
    return { ...answer, headers: { ...warningHeader(call.warnings), ...answer.headers } };
  } catch (error) {
    if (error instanceof StatusError) error.warnings = call.warnings;
    throw error;
  }
}

/** compat cluster 2.9: in a built-in group a missing resource is a Status, in another group a plain 404. */
function unknownPlace({ group }: ResourcePath): undefined {
  if (isBuiltinGroup(group)) throw noSuchResource();
}

async function served(call: ServedCall, podLogs: PodLogs | undefined): Promise<ServedResponse | undefined> {
  const { request, resource, path, query } = call;
  if (path.subresource !== '') return subresource(call, podLogs);
  const verb = verbOf(request.method, path, flag(query, 'watch'));
  if (path.name !== '' && !resource.verbs.some((one) => ofItems.has(one))) throw noSuchResource();
  if (verb === undefined || !resource.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === 'get') return get(call);
  if (verb === 'list' || verb === 'watch') return serveCollection(call, verb);
  return path.name === '' ? writeCollection(call) : writeObject(call);
}

/** A namespaced object needs a namespace, a cluster-scoped one has none; lists may span all. */
function isPlausible(resource: ServedResource, { namespace, name }: ResourcePath): boolean {
  return resource.namespaced ? namespace !== '' || name === '' : namespace === '';
}

const itemVerbs: Readonly<Record<string, string>> = {
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
const collectionVerbs: Readonly<Record<string, string>> = {
  GET: 'list',
  POST: 'create',
  DELETE: 'deletecollection',
};

const ofItems = new Set(Object.values(itemVerbs));

/** compat cluster 2.9: the parameter turns a list into a watch; for one object only the old path does. */
function verbOf(method: string, { name, isWatched }: ResourcePath, requested: boolean): string | undefined {
  if (method === 'GET' && (isWatched || (requested && name === ''))) return 'watch';
  return (name === '' ? collectionVerbs : itemVerbs)[method];
}

async function get({ core, request, resource, path, query }: ServedCall): Promise<ServedResponse> {
  const form = negotiate(request.headers.accept, query.get('includeObject'), { resource });
  checkedVersion(query.get('resourceVersion') ?? '', true);
  const found = lookUp(core, resource, path.namespace, path.name);
  await core.state.durable();
  if (!found) throw notFound(resource, path.name);
  return objectAnswer(core, found, { resource, form, status: 200 });
}

/** compat cluster 2.9: a watch of one object is a watch with a field selector for its name. */
function watching(query: URLSearchParams, name: string): URLSearchParams {
  const requested = new URLSearchParams(query);
  requested.set('watch', '1');
  if (name !== '') requested.set('fieldSelector', `metadata.name=${name}`);
  return requested;
}

async function serveCollection(
  { core, request, resource, path, query }: ServedCall,
  verb: 'list' | 'watch',
): Promise<ServedResponse> {
  const form = negotiate(request.headers.accept, query.get('includeObject'), { resource, streamed: true });
  const options = parseListOptions(verb === 'watch' ? watching(query, path.name) : query, resource);
  const where = { resource, namespace: path.namespace };
  if (verb === 'list') return list(core, where, options, form);
  return watch(core, where, options, { form, signal: request.signal });
}

async function subresource(
  call: ServedCall,
  podLogs: PodLogs | undefined,
): Promise<ServedResponse | undefined> {
  const { core, request, resource, path, query } = call;
  const known = resource.subresources.find((sub) => sub.name === path.subresource);
  if (!known || path.name === '') throw noSuchResource();
  const verb = request.method === 'POST' ? 'create' : itemVerbs[request.method];
  if (verb === undefined || !known.verbs.includes(verb)) throw methodNotAllowed();
  if (known.name === 'log') return podLog({ core, podLogs }, path, query, request);
  if (streamed.has(known.name)) throw badRequest('Upgrade request required');
  if (!handled.has(known.name)) throw notSupportedYet(`${resource.plural}/${known.name}`);
  if (verb !== 'get') return writeObject(call);
  if (known.name !== 'scale') return get(call);
  const found = lookUp(core, resource, path.namespace, path.name);
  await core.state.durable();
  if (!found) throw notFound(resource, path.name);
  return objectAnswer(core, scaleStored(resource, found), {
    resource: scaleResource(resource),
    form: { as: 'object' },
    status: 200,
  });
}

/** Subresources that need an upgraded connection. */
const streamed = new Set(['exec', 'attach', 'portforward']);
const handled = new Set([
  'status',
  'scale',
  'finalize',
  'approval',
  'eviction',
  'binding',
  'token',
  'ephemeralcontainers',
  'resize',
]);
