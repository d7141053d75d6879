import { printJson } from '#base/std';
import type { JsonObject } from '#kubernetes/schema';
import { type Form, negotiate } from '../accept.ts';
import { answerTokenRequest } from '../access/token-request.ts';
import { lookUp, tableOf } from '../core.ts';
import { type Item, withMeta } from '../item.ts';
import type { ServedResponse } from '../request.ts';
import { answerReview } from '../reviews.ts';
import { badRequest, deleted, notSupportedYet, StatusError } from '../status.ts';
import { Stored } from '../stored.ts';
import { hooked } from '../webhook/session.ts';
import { parseApplied } from '../write/apply.ts';
import { readBody, textOf } from '../write/body.ts';
import { create, inNamespace } from '../write/create.ts';
import { decode, notRegistered } from '../write/decode.ts';
import { recordManager } from '../write/managers.ts';
import {
  type DeleteRequest,
  parseApplyOptions,
  parseDeleteRequest,
  parseWriteOptions,
  refuseForce,
  type ServedWriteOptions,
} from '../write/options.ts';
import { type PatchBody, parsePatch, patch, patchType } from '../write/patch.ts';
import { bind, evict } from '../write/pod-actions.ts';
import { remove } from '../write/remove.ts';
import { reviewWrite } from '../write/review.ts';
import { scaleKind, writeScale } from '../write/scale.ts';
import { update } from '../write/update.ts';
import type { Writing, Written } from '../write/writing.ts';
import { objectAnswer, statusAnswer, warningHeader } from './answer.ts';
import { type ServedCall, scaleResource } from './call.ts';
import { listOf } from './list.ts';
import { parseListOptions } from './list-options.ts';

type Verb = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** A write with its warnings. */
type Begun = { readonly writing: Writing; readonly warnings: string[]; readonly form: Form };

function begin({ core, request, user, resource, path, query, warnings }: ServedCall, verb: Verb): Begun {
  const who = {
    agent: request.headers['user-agent'] ?? '',
    user,
    warn: (message: string) => warnings.push(message),
    applies:
      request.method === 'PATCH' && /^application\/apply-patch\b/.test(request.headers['content-type'] ?? ''),
  };
  const options = parseWriteOptions(query, verb, who);
  const writing = { core, resource, namespace: path.namespace, subresource: path.subresource, options };
  return { writing, warnings, form: negotiate(request.headers.accept, query.get('includeObject')) };
}

/** POST to a collection, or DELETE of a whole one. */
export async function writeCollection(call: ServedCall): Promise<ServedResponse> {
  return call.request.method === 'DELETE' ? deleteCollection(call) : createOne(call);
}

async function createOne(call: ServedCall): Promise<ServedResponse> {
  const begun = begin(call, 'CreateOptions');
  const { writing } = begun;
  const item = bodyItem(call, writing);
  const review = isCreateOnly(call.resource) ? reviewed(call, writing, item) : undefined;
  const stored = review ? new Stored('', review, 0) : await hooked(writing, (own) => create(own, item));
  return answered(call, begun, { stored, created: true });
}

/** Kinds that can only be posted and are never stored. */
const isCreateOnly = ({ verbs }: ServedCall['resource']): boolean => !verbs.includes('get');

function reviewed({ core, resource, user }: ServedCall, writing: Writing, item: Item): Item {
  const managed = recordManager(writing, undefined, inNamespace(writing, item));
  const review = answerReview(core, managed, user);
  if (!review) throw notSupportedYet(`creating ${resource.plural}`);
  return review;
}

function bodyItem({ request, resource }: ServedCall, writing: Writing): Item {
  return decode(readBody(request, resource.kind), resource, writing.options);
}

async function answered(
  call: ServedCall,
  { form, warnings }: Begun,
  { stored, created }: Written,
): Promise<ServedResponse> {
  await call.core.state.durable();
  return objectAnswer(call.core, stored, {
    resource: call.resource,
    form,
    status: created ? 201 : 200,
    warnings,
  });
}

/** PUT, PATCH, DELETE of one object, or a write to a subresource. */
export async function writeObject(call: ServedCall): Promise<ServedResponse> {
  const { request, path } = call;
  if (path.subresource === 'scale') return writeScaleOf(call);
  if (request.method === 'POST') return act(call);
  if (request.method === 'DELETE') return deleteOne(call);
  if (request.method === 'PUT') {
    const begun = begin(call, 'UpdateOptions');
    const item = bodyItem(call, begun.writing);
    return answered(call, begun, await hooked(begun.writing, (own) => update(own, path.name, item)));
  }
  const begun = begin(call, 'PatchOptions');
  const change = patchBody(call, begun.writing.options);
  if (change.type !== 'apply') {
    refuseForce(call.query);
    return answered(call, begun, await hooked(begun.writing, (own) => patch(own, path.name, change)));
  }
  const options = parseApplyOptions(call.query, begun.writing.options);
  const applying = { ...begun.writing, options };
  return answered(call, begun, await hooked(applying, (own) => patch(own, path.name, change, options.force)));
}

function patchBody({ request, resource }: ServedCall, options: ServedWriteOptions): PatchBody {
  const type = patchType(request.headers['content-type'] ?? '', resource);
  const text = textOf(request.body);
  return type === 'apply' ? { type, body: parseApplied(text, options) } : parsePatch(type, text);
}

async function writeScaleOf(call: ServedCall): Promise<ServedResponse> {
  const { request, core, path, resource } = call;
  const begun = begin(call, request.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions');
  const change = request.method === 'PUT' ? scaleBody(call, begun.writing) : scalePatch(call, begun.writing);
  const stored = await hooked(begun.writing, (own) => writeScale(own, path.name, change));
  await core.state.durable();
  return objectAnswer(core, stored, {
    resource: scaleResource(resource),
    form: { as: 'object' },
    status: 200,
  });
}

const scaleBody = ({ request, resource }: ServedCall, { options }: Writing): Item =>
  decode(readBody(request, 'Scale'), scaleKind(resource), options);

function scalePatch(call: ServedCall, { options }: Writing): PatchBody & { readonly force: boolean } {
  const change = patchBody({ ...call, resource: scaleKind(call.resource) }, options);
  const force = change.type === 'apply' && parseApplyOptions(call.query, options).force;
  return { ...change, force };
}

/** `pods/eviction` and `pods/binding`: POSTs that act on a pod. */
async function act(call: ServedCall): Promise<ServedResponse> {
  const { writing, warnings } = begin(call, 'CreateOptions');
  const { value } = readBody(call.request);
  const kind = call.resource.subresources.find((sub) => sub.name === call.path.subresource)?.gvk;
  await hooked(writing, (own) =>
    reviewWrite(own, value as Item, undefined, { ...(kind && { kind }), name: call.path.name }),
  );
  if (call.path.subresource === 'token') return tokenFor(call, value);
  const status =
    call.path.subresource === 'eviction'
      ? evict(writing, call.path.name, value)
      : bind(writing, call.path.name, value);
  await call.core.state.durable();
  return statusAnswer(status, warnings);
}

async function tokenFor({ core, path }: ServedCall, body: JsonObject): Promise<ServedResponse> {
  const answer = answerTokenRequest(core, path, body);
  await Promise.all([core.access.key.saved, core.state.durable()]);
  return { status: 201, headers: { 'content-type': 'application/json' }, body: `${printJson(answer)}\n` };
}

/** compat cluster 3.7: options in a body replace those of the query. */
function beginDelete(call: ServedCall): Begun & { readonly request: DeleteRequest } {
  const body = call.request.body?.length ? call.request : undefined;
  const query = body ? new URLSearchParams() : call.query;
  const begun = begin({ ...call, query }, 'DeleteOptions');
  const request = parseDeleteRequest(query, body ? deleteOptions(body) : {});
  const options = { ...begun.writing.options, dryRun: request.dryRun };
  return { ...begun, writing: { ...begun.writing, options }, request };
}

function deleteOptions(request: ServedCall['request']): JsonObject {
  const { value } = readBody(request);
  const { apiVersion = 'v1', kind = 'DeleteOptions' } = value as { apiVersion?: string; kind?: string };
  if (kind !== 'DeleteOptions') throw badRequest(notRegistered(apiVersion, kind));
  return value;
}

async function deleteOne(call: ServedCall): Promise<ServedResponse> {
  const { core, path, resource } = call;
  const { writing, warnings, form, request } = beginDelete(call);
  const { stored, gone } = await hooked(writing, (own) => remove(own, path.name, request));
  await core.state.durable();
  const whole = gone && answeredWhole.has(resource.collection) ? asItWas(resource, stored) : stored;
  if (!gone || whole !== stored || resource.collection === '/pods')
    return objectAnswer(core, whole, { resource, form, status: 200, warnings });
  return statusAnswer(deleted(resource, path.name, stored.item.metadata.uid ?? ''), warnings);
}

/** Only an object that ends gracefully has been stored with a deletionTimestamp. */
function asItWas({ collection }: ServedCall['resource'], { key, item, rv }: Stored): Stored {
  const alive = { deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined };
  return new Stored(key, collection === '/pods' ? item : withMeta(item, alive), rv);
}

/** compat cluster 3.7: kinds whose delete returns the object itself, not a Status. */
const answeredWhole = new Set([
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/pods',
  '/podtemplates',
  '/resourcequotas',
  '/serviceaccounts',
  '/services',
  'storage.k8s.io/csidrivers',
  'storage.k8s.io/csinodes',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/volumeattachments',
]);

async function deleteCollection(call: ServedCall): Promise<ServedResponse> {
  const { core, path, resource, query } = call;
  const { writing, warnings, request } = beginDelete(call);
  const options = { ...request, isOneOfMany: true };
  const { match } = parseListOptions(query, resource);
  const chosen = tableOf(core, resource)
    .list(path.namespace)
    .filter(({ item }) => !match || match(item));
  for (const { item } of chosen) {
    const namespace = item.metadata.namespace ?? '';
    if (lookUp(core, resource, namespace, item.metadata.name ?? '')) {
      const one = { ...writing, namespace };
      await hooked(one, (own) => quietly(() => remove(own, item.metadata.name ?? '', options)));
    }
  }
  await core.state.durable();
  const headers = { 'content-type': 'application/json', ...warningHeader(warnings) };
  return { status: 200, headers, body: listOf(resource, core.state.rv, chosen) };
}

/** An object that was deleted meanwhile does not fail the delete of a collection. */
function quietly(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== 'NotFound') throw error;
  }
}
