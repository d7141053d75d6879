import { FairleadError } from '#base/std';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { convert } from '../convert.ts';
import { type Item, withMeta } from '../item.ts';
import { apiVersionOf, type ServedResource } from '../kinds.ts';
import { badRequest, conflict, notFound, plainFailure } from '../status.ts';
import type { Stored } from '../stored.ts';
import { jsonKind, readYaml } from './body.ts';
import { createManaged, inNamespace } from './create.ts';
import { metaOnly } from './decode.ts';
import { complete } from './default.ts';
import { checkIdentity } from './identity.ts';
import { applyAs } from './managers.ts';
import type { ServedWriteOptions } from './options.ts';
import { restoreProblem } from './restore.ts';
import { replace } from './update.ts';
import type { Writing, Written } from './writing.ts';

type ApplyBody = { readonly body: unknown; readonly force: boolean };

/**
 * Server-side apply: merges the manager's configuration into the live object, or creates it (then `created` is
 * true).
 */
export function apply(
  writing: Writing,
  name: string,
  live: Stored | undefined,
  { body, force }: ApplyBody,
): Written {
  const { resource } = writing;
  const sent = appliedObject(body, resource);
  if (sent.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  const before = live && convert(live.item, resource);
  const merged = restored(applied(writing, before, sent, force), resource);
  checkIdentity(merged, name, writing);
  const next = complete(inNamespace(writing, merged), resource);
  const applying = { ...writing, isApply: true };
  if (live) return { stored: replace(applying, live, next), created: false };
  if (writing.subresource !== '') throw notFound(resource, name);
  if (next.metadata.uid) throw conflict(resource, name, missing(next.metadata.uid));
  return { stored: createManaged(applying, withMeta(next, { resourceVersion: undefined })), created: true };
}

const missing = (uid: string): string =>
  `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;

/** compat cluster 3.9: a configuration that does not fit the type is an internal error, not a bad request. */
export function applied(writing: Writing, before: Item | undefined, sent: Item, force: boolean): Item {
  try {
    return applyAs(writing, before, sent, force);
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'InvalidSpec') throw plainFailure(error.message);
    throw error;
  }
}

const kindOf = ({ apiVersion = '', kind = '' }: JsonObject): string =>
  `${String(apiVersion).includes('/') ? '' : '/'}${String(apiVersion)}, Kind=${String(kind)}`;

function restored(merged: Item, { custom, type }: ServedResource): Item {
  const why = custom
    ? restoreProblem({ metadata: merged.metadata }, metaOnly())
    : restoreProblem(merged, type);
  if (why === undefined) return merged;
  const { name = '' } = merged.metadata;
  const kind = kindOf(merged as JsonObject);
  throw plainFailure(
    `failed to convert new object (/${name}; ${kind}) to proper version: unable to convert unstructured object to ${kind}: ${why}`,
  );
}

/** The configuration itself. Throws BadRequest when it is not an object of this kind. */
export function appliedObject(body: unknown, resource: ServedResource): Item {
  const value = body ?? {};
  if (!isObject(value)) {
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`,
    );
  }
  if (value.apiVersion !== apiVersionOf(resource) || value.kind !== resource.kind) {
    throw badRequest(`invalid object type: ${kindOf(value)}`);
  }
  return isObject(value.metadata) ? (value as Item) : ({ ...value, metadata: {} } as unknown as Item);
}

/**
 * Parses an apply patch, which is YAML, JSON being a part of it. Throws BadRequest with the position of the error.
 */
export function parseApplied(text: string, { fieldValidation, warn }: ServedWriteOptions): unknown {
  const { value, doubled } = readOrRefuse(text);
  if (doubled.length === 0 || fieldValidation === 'Ignore') return value;
  if (fieldValidation === 'Strict') {
    const why = `yaml: unmarshal errors:\n  ${doubled.join('\n  ')}`;
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${why}`);
  }
  for (const line of doubled) warn(line);
  return value;
}

function readOrRefuse(text: string): ReturnType<typeof readYaml> {
  try {
    return readYaml(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${(error as Error).message}`);
  }
}
