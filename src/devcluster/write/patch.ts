import { applyJsonPatch, applyMergePatch, applyStrategicPatch, type JsonPatchOperation } from '#patch';
import { isObject, type JsonObject } from '#schema';
import { FairleadError, parseJson } from '#std';
import { convert } from '../convert.ts';
import { type Item, itemKey, withMeta } from '../item.ts';
import { apiVersionOf, type Resource } from '../kinds.ts';
import { badRequest, notFound, patchRejected, StatusError, unsupportedMediaType } from '../status.ts';
import type { Stored } from '../stored.ts';
import { createManaged, inNamespace } from './create.ts';
import { decode, identified } from './decode.ts';
import { complete } from './default.ts';
import { applyAs, recordManager } from './managers.ts';
import { replace } from './update.ts';
import { shelfFor, type Writing, type Written } from './writing.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** A patch as it came: one of four languages, not yet applied to anything. */
export type PatchBody = {
  readonly type: PatchType;
  readonly body: unknown;
  readonly twice?: readonly string[];
};

const mediaTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** Which patch language a Content-Type names. compat 3.6: custom kinds have no strategic merge. */
export function patchType(contentType: string, resource: Resource): PatchType {
  const media = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const type = mediaTypes[media];
  if (type && !(type === 'strategic' && resource.custom)) return type;
  const accepted = Object.keys(mediaTypes).filter(
    (name) => !resource.custom || mediaTypes[name] !== 'strategic',
  );
  throw unsupportedMediaType(accepted);
}

/** Patches an object. Only an apply may create it; then `created` is true. */
export function patch(writing: Writing, name: string, change: PatchBody, force = false): Written {
  const live = shelfFor(writing).get(itemKey(writing.namespace, name));
  if (change.type === 'apply') return apply(writing, name, live, { ...change, force });
  if (!live) throw notFound(writing.resource, name);
  const before = convert(live.item, writing.resource);
  const patched = patchedObject(writing.resource, before, change);
  const next = decode(patched, writing.resource, writing.options);
  checkIdentity(next, name, writing);
  const recorded = recordManager(writing, before, complete(next, writing.resource));
  return { stored: replace(writing, live, recorded), created: false };
}

/** The live object with the patch applied, as yet unchecked. */
function patchedObject(resource: Resource, live: Item, { type, body }: PatchBody): JsonObject {
  try {
    const result =
      type === 'json'
        ? applyJsonPatch(live, operationsOf(body))
        : type === 'merge'
          ? applyMergePatch(live, body)
          : applyStrategicPatch(live as JsonObject, objectOf(body), resource.type);
    return objectOf(result);
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof FairleadError)) throw error;
    throw type === 'json' ? patchRejected(error.message) : badRequest(error.message);
  }
}

const maxOperations = 10_000;

function operationsOf(body: unknown): readonly JsonPatchOperation[] {
  if (!Array.isArray(body))
    throw badRequest('error decoding patch: a JSON patch must be a list of operations');
  if (body.length > maxOperations) {
    throw badRequest(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${body.length}`,
    );
  }
  return body as JsonPatchOperation[];
}

function objectOf(value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw badRequest('error decoding patch: the result must be a JSON object');
}

function checkIdentity(next: Item, name: string, { namespace, resource }: Writing): void {
  const own = next.metadata;
  if (own.name !== name) {
    throw badRequest(
      `the name of the object (${own.name ?? ''}) does not match the name on the URL (${name})`,
    );
  }
  if (resource.namespaced && (own.namespace ?? '') !== namespace) {
    throw badRequest('the namespace of the object does not match the namespace on the URL');
  }
}

type ApplyBody = PatchBody & { readonly force: boolean };

function apply(writing: Writing, name: string, live: Stored | undefined, change: ApplyBody): Written {
  const { resource } = writing;
  const value = identified(appliedObject(change.body, resource), resource);
  const decoded = decode(value, resource, writing.options, change.twice);
  if (decoded.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  const named = withMeta(decoded, { name: decoded.metadata.name || name });
  const applied = resource.namespaced ? inNamespace(writing, named) : named;
  checkIdentity(applied, name, writing);
  const before = live && convert(live.item, resource);
  const merged = applyAs(writing, before, applied, change.force);
  const next = complete(merged, resource);
  if (live) return { stored: replace(writing, live, next), created: false };
  if (writing.subresource !== '') throw notFound(resource, name);
  return {
    stored: createManaged(writing, withMeta(next, { resourceVersion: undefined, uid: undefined })),
    created: true,
  };
}

function appliedObject(body: unknown, resource: Resource): JsonObject {
  const value = objectOf(body);
  for (const field of ['apiVersion', 'kind']) {
    if (typeof value[field] !== 'string' || value[field] === '') {
      throw badRequest(
        `the applied object must say its ${field}; this is ${apiVersionOf(resource)} ${resource.kind}`,
      );
    }
  }
  return value;
}

/** Reads a patch in JSON; apply patches may be YAML, which their readers hand over already parsed. */
export function parsePatch(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${(error as Error).message}`);
  }
}
