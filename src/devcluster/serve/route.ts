import { negotiate } from '../accept.ts';
import { identify } from '../authorize.ts';
import { type Core, lookUp } from '../core.ts';
import type { Resource } from '../kinds.ts';
import { flag, type ResourcePath } from '../path.ts';
import type { ApiRequest, ApiResponse } from '../request.ts';
import { methodNotAllowed, notFound, notSupportedYet } from '../status.ts';
import { scaleStored } from '../write/scale.ts';
import { objectAnswer } from './answer.ts';
import { type Call, scaleResource } from './call.ts';
import { list } from './list.ts';
import { parseListOptions } from './list-options.ts';
import { type PodLogs, podLog } from './pod-log.ts';
import { watch } from './watch.ts';
import { writeCollection, writeObject } from './write.ts';

export type Serving = { readonly core: Core; readonly podLogs: PodLogs | undefined };

/** Answers a request below a group version; undefined when nothing is served there. */
export async function route(
  { core, podLogs }: Serving,
  request: ApiRequest,
  path: ResourcePath,
  query: URLSearchParams,
): Promise<ApiResponse | undefined> {
  const resource = core.kinds.find(path.group, path.version, path.plural);
  if (!resource || !isPlausible(resource, path)) return undefined;
  const call: Call = { core, request, resource, path, query };
  identify(request.headers); // refuses nonsense before anything is done
  if (path.subresource !== '') return subresource(call, podLogs);
  const verb = verbOf(request.method, path.name, flag(query, 'watch'));
  if (verb === undefined || !resource.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === 'get') return get(call);
  if (verb === 'list' || verb === 'watch') return collection(call, verb);
  return path.name === '' ? writeCollection(call) : writeObject(call);
}

/** A namespaced object needs its namespace, a cluster-scoped one has none; lists may span all. */
function isPlausible(resource: Resource, { namespace, name }: ResourcePath): boolean {
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

function verbOf(method: string, name: string, watching: boolean): string | undefined {
  if (name !== '') return itemVerbs[method];
  return method === 'GET' && watching ? 'watch' : collectionVerbs[method];
}

async function get({ core, request, resource, path, query }: Call): Promise<ApiResponse> {
  const form = negotiate(request.headers.accept, query.get('includeObject'));
  const found = lookUp(core, resource, path.namespace, path.name);
  await core.state.durable();
  if (!found) throw notFound(resource, path.name);
  return objectAnswer(core, found, { resource, form, status: 200 });
}

async function collection(
  { core, request, resource, path, query }: Call,
  verb: 'list' | 'watch',
): Promise<ApiResponse> {
  const form = negotiate(request.headers.accept, query.get('includeObject'));
  const options = parseListOptions(query, resource);
  const where = { resource, namespace: path.namespace };
  if (verb === 'list') return list(core, where, options, form);
  return watch(core, where, options, { form, signal: request.signal });
}

async function subresource(call: Call, podLogs: PodLogs | undefined): Promise<ApiResponse | undefined> {
  const { core, request, resource, path, query } = call;
  const known = resource.subresources.find((sub) => sub.name === path.subresource);
  if (!known || path.name === '') return undefined;
  const verb = request.method === 'POST' ? 'create' : itemVerbs[request.method];
  if (verb === undefined || !known.verbs.includes(verb)) throw methodNotAllowed();
  if (known.name === 'log') return podLog({ core, podLogs }, path, query, request);
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

const handled = new Set(['status', 'scale', 'finalize', 'approval', 'eviction', 'binding']);
