import { isObject } from '#schema';
import { type Form, negotiate } from '../accept.ts';
import { identify } from '../authorize.ts';
import { lookUp, shelfOf } from '../core.ts';
import type { Item } from '../item.ts';
import type { ApiResponse } from '../request.ts';
import { answerReview } from '../reviews.ts';
import { badRequest, deleted, notSupportedYet, StatusError } from '../status.ts';
import { Stored } from '../stored.ts';
import { create } from '../write/create.ts';
import { decode, parseYaml, readBody, textOf } from '../write/decode.ts';
import { duplicateKeys } from '../write/duplicates.ts';
import {
  type DeleteRequest,
  parseApplyOptions,
  parseDeleteRequest,
  parseWriteOptions,
  refuseForce,
} from '../write/options.ts';
import { type PatchBody, parsePatch, patch, patchType } from '../write/patch.ts';
import { bind, evict } from '../write/pod-actions.ts';
import { remove } from '../write/remove.ts';
import { writeScale } from '../write/scale.ts';
import { update } from '../write/update.ts';
import type { Writing, Written } from '../write/writing.ts';
import { objectAnswer, statusAnswer, warningHeader } from './answer.ts';
import { type Call, scaleResource } from './call.ts';
import { listOf } from './list.ts';
import { parseListOptions } from './list-options.ts';

type Verb = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** A write with the warnings it collects on its way. */
type Begun = { readonly writing: Writing; readonly warnings: string[]; readonly form: Form };

function begin({ core, request, resource, path, query }: Call, verb: Verb): Begun {
  const warnings: string[] = [];
  const who = {
    agent: request.headers['user-agent'] ?? '',
    user: identify(request.headers),
    warn: (message: string) => warnings.push(message),
  };
  const options = parseWriteOptions(query, verb, who);
  const writing = { core, resource, namespace: path.namespace, subresource: path.subresource, options };
  return { writing, warnings, form: negotiate(request.headers.accept, query.get('includeObject')) };
}

/** POST to a collection, or DELETE of a whole one. */
export async function writeCollection(call: Call): Promise<ApiResponse> {
  return call.request.method === 'DELETE' ? deleteCollection(call) : createOne(call);
}

async function createOne(call: Call): Promise<ApiResponse> {
  const begun = begin(call, 'CreateOptions');
  const { writing } = begun;
  const item = bodyItem(call, writing);
  const review = answerReview(item, writing.options.user);
  if (!review && isAskedOnly(call.resource)) throw notSupportedYet(`creating ${call.resource.plural}`);
  const stored = review ? new Stored('', review, 0) : create(writing, item);
  return answered(call, begun, { stored, created: true });
}

/** Kinds that are posted and answered, never kept. */
const isAskedOnly = ({ verbs }: Call['resource']): boolean => !verbs.includes('get');

function bodyItem({ request, resource }: Call, writing: Writing): Item {
  const { value, twice } = readBody(request);
  return decode(value, resource, writing.options, twice);
}

async function answered(
  call: Call,
  { form, warnings }: Begun,
  { stored, created }: Written,
): Promise<ApiResponse> {
  await call.core.state.durable();
  return objectAnswer(call.core, stored, {
    resource: call.resource,
    form,
    status: created ? 201 : 200,
    warnings,
  });
}

/** PUT, PATCH, DELETE of one object, or a write below it. */
export async function writeObject(call: Call): Promise<ApiResponse> {
  const { request, path } = call;
  if (path.subresource === 'scale') return writeScaleOf(call);
  if (request.method === 'POST') return act(call);
  if (request.method === 'DELETE') return deleteOne(call);
  if (request.method === 'PUT') {
    const begun = begin(call, 'UpdateOptions');
    return answered(call, begun, update(begun.writing, path.name, bodyItem(call, begun.writing)));
  }
  const begun = begin(call, 'PatchOptions');
  const change = patchBody(call);
  if (change.type !== 'apply') {
    refuseForce(call.query);
    return answered(call, begun, patch(begun.writing, path.name, change));
  }
  const options = parseApplyOptions(call.query, begun.writing.options);
  return answered(call, begun, patch({ ...begun.writing, options }, path.name, change, options.force));
}

function patchBody({ request, resource }: Call): PatchBody {
  const type = patchType(request.headers['content-type'] ?? '', resource);
  const text = textOf(request.body);
  if (type !== 'apply') return { type, body: parsePatch(text) };
  if (!/^\s*\{/.test(text)) return { type, body: parseYaml(text) };
  return { type, body: parsePatch(text), twice: duplicateKeys(text) };
}

async function writeScaleOf(call: Call): Promise<ApiResponse> {
  const { request, core, path, resource } = call;
  const begun = begin(call, request.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions');
  const stored = writeScale(
    begun.writing,
    path.name,
    request.method === 'PUT' ? scaleBody(call) : patchBody(call),
  );
  await core.state.durable();
  return objectAnswer(core, stored, {
    resource: scaleResource(resource),
    form: { as: 'object' },
    status: 200,
  });
}

function scaleBody({ request }: Call): Item {
  const { value } = readBody(request);
  if (value.kind === 'Scale' && isObject(value.metadata)) return value as Item;
  throw badRequest('the body of the request must be a Scale');
}

/** `pods/eviction` and `pods/binding`: POSTs that do something to a pod. */
async function act(call: Call): Promise<ApiResponse> {
  const { writing, warnings } = begin(call, 'CreateOptions');
  const { value } = readBody(call.request);
  const status =
    call.path.subresource === 'eviction'
      ? evict(writing, call.path.name, value)
      : bind(writing, call.path.name, value);
  await call.core.state.durable();
  return statusAnswer(status, warnings);
}

function deleteBody({ request, query }: Call): DeleteRequest {
  const empty = !request.body || request.body.length === 0;
  return parseDeleteRequest(query, empty ? {} : readBody(request).value);
}

async function deleteOne(call: Call): Promise<ApiResponse> {
  const { core, path, resource } = call;
  const { writing, warnings, form } = begin(call, 'DeleteOptions');
  const options = deleteBody(call);
  const dry = {
    ...writing,
    options: { ...writing.options, dryRun: writing.options.dryRun || options.dryRun },
  };
  const { stored, gone } = remove(dry, path.name, options);
  await core.state.durable();
  if (!gone) return objectAnswer(core, stored, { resource, form, status: 200, warnings });
  return statusAnswer(deleted(resource, path.name, stored.item.metadata.uid ?? ''), warnings);
}

async function deleteCollection(call: Call): Promise<ApiResponse> {
  const { core, path, resource, query } = call;
  const { writing, warnings } = begin(call, 'DeleteOptions');
  const options = deleteBody(call);
  const { match } = parseListOptions(query, resource);
  const chosen = shelfOf(core, resource)
    .list(path.namespace)
    .filter(({ item }) => !match || match(item));
  for (const { item } of chosen) {
    const namespace = item.metadata.namespace ?? '';
    if (lookUp(core, resource, namespace, item.metadata.name ?? '')) {
      quietly(() => remove({ ...writing, namespace }, item.metadata.name ?? '', options));
    }
  }
  await core.state.durable();
  const headers = { 'content-type': 'application/json', ...warningHeader(warnings) };
  return { status: 200, headers, body: listOf(resource, core.state.rv, chosen) };
}

/** What has gone by itself meanwhile is no failure of deleting everything. */
function quietly(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error;
  }
}
