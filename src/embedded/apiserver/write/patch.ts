import { FairleadError, parseJson, printJson } from '#base/std';
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  goText,
  type JsonPatchOperation,
} from '#kubernetes/patch';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { convert } from '../convert.ts';
import { type Item, itemKey } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import {
  badRequest,
  invalid,
  notFound,
  patchRejected,
  plainFailure,
  StatusError,
  unsupportedPatchType,
} from '../status.ts';
import { apply } from './apply.ts';
import { jsonKind } from './body.ts';
import { decode, notRegistered } from './decode.ts';
import { completeTracked } from './default.ts';
import { fieldProblems } from './field-problems.ts';
import { syntaxError } from './go-json.ts';
import { checkIdentity } from './identity.ts';
import { recordManager } from './managers.ts';
import { restoreProblem } from './restore.ts';
import { replace } from './update.ts';
import { tableFor, type Writing, type Written } from './writing.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** A patch as received: of one of four types, not applied yet. `text` is its source. */
export type PatchBody = { readonly type: PatchType; readonly body: unknown; readonly text?: string };

const mediaTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** The patch type of a Content-Type. compat cluster 3.6: custom kinds have no strategic merge. */
export function patchType(contentType: string, resource: ServedResource): PatchType {
  const media = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const type = mediaTypes[media];
  if (type && !(type === 'strategic' && resource.custom)) return type;
  throw unsupportedPatchType(
    type && Object.keys(mediaTypes).filter((name) => mediaTypes[name] !== 'strategic'),
  );
}

/** Patches an object. Only an apply may create it; then `created` is true. */
export function patch(writing: Writing, name: string, change: PatchBody, force = false): Written {
  const live = tableFor(writing).get(itemKey(writing.namespace, name));
  if (change.type === 'apply') return apply(writing, name, live, { ...change, force });
  if (!live) throw notFound(writing.resource, name);
  const before = convert(live.item, writing.resource);
  const next = readPatched(writing, before, change);
  checkIdentity(next, name, writing);
  const recorded = recordManager(writing, before, completeTracked(next, writing.resource));
  return { stored: replace(writing, live, recorded), created: false };
}

/** The live object with the patch applied, as an object of its kind. */
export function readPatched(writing: Writing, live: Item, change: PatchBody): Item {
  const { resource, options } = writing;
  const patched = patchedObject(resource, live, change);
  const { apiVersion, kind } = live;
  if (change.type === 'strategic') {
    const value = { ...patched, apiVersion, kind };
    const why = restoreProblem(value, resource.type);
    if (why !== undefined) throw notPatched(goText(change.body), why);
    return withinPatch(goText(change.body), () => decode({ value }, resource, options));
  }
  const shown = printJson(ordered(patched));
  if (!resource.custom && (patched.apiVersion !== apiVersion || patched.kind !== kind)) {
    const found = { apiVersion: patched.apiVersion ?? apiVersion, kind: patched.kind ?? kind };
    if (found.apiVersion !== apiVersion || found.kind !== kind) {
      throw notPatched(shown, notRegistered(String(found.apiVersion), String(found.kind)));
    }
  }
  return withinPatch(shown, () => {
    refuseDoubles(change, writing);
    return decode({ value: patched }, resource, options);
  });
}

const ordered = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));

/** compat cluster 3.14: duplicate keys in the patch are reported like those of an object. */
function refuseDoubles({ type, text }: PatchBody, { resource, options }: Writing): void {
  if (type !== 'merge' || text === undefined || options.fieldValidation === 'Ignore') return;
  const doubled = fieldProblems(text, resource.type).filter((problem) => problem.startsWith('duplicate'));
  if (doubled.length === 0) return;
  if (options.fieldValidation === 'Strict')
    throw badRequest(`${decodingError}strict decoding error: ${doubled.join(', ')}`);
  for (const problem of doubled) options.warn(problem);
}

const decodingError = 'cannot be handled as the patched object: ';

/** compat cluster 3.6: errors in the patched object are reported as if the patch were one of its fields. */
function withinPatch<T>(shown: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.code !== 400) throw error;
    throw notPatched(shown, (error.status.message ?? '').replace(/^.*?cannot be handled as [^:]*: /, ''));
  }
}

const notPatched = (shown: string, detail: string): StatusError =>
  invalid({ group: '', kind: '' }, '', [{ type: 'Invalid value', field: 'patch', value: shown, detail }]);

/** The live object with the patch applied, not validated yet. */
function patchedObject(resource: ServedResource, live: Item, { type, body }: PatchBody): JsonObject {
  try {
    const result =
      type === 'json'
        ? applyJsonPatch(live, body as readonly JsonPatchOperation[])
        : type === 'merge'
          ? applyMergePatch(live, body)
          : applyStrategicPatch(live as JsonObject, body as JsonObject, resource.type);
    if (isObject(result)) return result;
    throw badRequest('Invalid JSON Patch');
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof FairleadError)) throw error;
    if (type === 'json') throw patchRejected();
    // compat cluster 3.6: a list that cannot be merged is an internal error
    throw error.message.includes('merge key') ? plainFailure(error.message) : badRequest(error.message);
  }
}

const maxOperations = 10_000;

/** Parses a patch in JSON. Throws BadRequest, in the words of the decoder of this patch type. */
export function parsePatch(type: 'json' | 'merge' | 'strategic', text: string): PatchBody {
  const start = type === 'strategic' ? '' : 'error decoding patch: ';
  const body = parsed(text, start);
  const isWanted = type === 'json' ? Array.isArray(body) : isObject(body);
  if (body === null && type === 'merge') throw badRequest('Invalid JSON Patch');
  if (body === null) return { type, body: type === 'json' ? [] : {}, text };
  if (!isWanted)
    throw badRequest(`${start}${mistyped(body, type === 'json' ? operations : 'map[string]interface {}')}`);
  if (Array.isArray(body)) checkOperations(body, start);
  return { type, body, text };
}

const operation = 'handlers.jsonPatchOp';
const operations = `[]${operation}`;

const mistyped = (value: unknown, type: string): string =>
  `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`;

function checkOperations(body: readonly unknown[], start: string): void {
  if (body.length > maxOperations) {
    const why = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${body.length}`;
    throw badRequest(why);
  }
  const wrong = body.find((one) => !isObject(one) && one !== null);
  if (wrong !== undefined) throw badRequest(`${start}${mistyped(wrong, operation)}`);
}

function parsed(text: string, start: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequest(`${start}${syntaxError(text) ?? (error as Error).message}`);
  }
}
