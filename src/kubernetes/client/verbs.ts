import type { KubeObject } from '#base/model';
import { type Ctx, printJson } from '#base/std';
import { type Api, type Collection, type ObjectRef, refOf, served, written } from './api.ts';
import type { ApiResource } from './discovery-document.ts';
import { hasReason } from './errors.ts';
import type { HttpRequest } from './http.ts';
import type { Selectors } from './list.ts';
import { objectPath, pathOf, type QueryParameters, requireNamespace } from './path.ts';

export type WriteOptions = {
  readonly fieldManager?: string;
  /** Everything but persisting: returns the object that would result. */
  readonly dryRun?: boolean;
  /** How the API server treats unknown fields: reject, warn (its default), or drop them silently. */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  readonly onWarning?: (message: string) => void;
};

/** `at` writes to another path than the object's own: a subresource, such as `scale` or `eviction`. */
export type PlacedWriteOptions = WriteOptions & { readonly at?: ObjectRef };

export type Patch =
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: object };

export type DeleteOptions = {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Fails with Conflict when the object is no longer the one that was read. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
};

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** Throws KubeError `NotFound` when there is no such object, `NoMatch` when there is no such kind. */
export async function get(ctx: Ctx, api: Api, ref: ObjectRef): Promise<KubeObject> {
  return served(ctx, api, ref, (resource) =>
    send(ctx, api, { method: 'GET', path: objectPath(resource, ref) }),
  );
}

/** Like get, but an object that does not exist is undefined. A kind that does not exist is still an error. */
export async function find(ctx: Ctx, api: Api, ref: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await get(ctx, api, ref);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Throws KubeError `AlreadyExists` when the name is taken. */
export async function create(
  ctx: Ctx,
  api: Api,
  object: KubeObject,
  options: PlacedWriteOptions = {},
): Promise<KubeObject> {
  const { at } = options;
  return written(ctx, api, at ?? object, (resource) => {
    const path = at ? objectPath(resource, at) : collectionPath(resource, object);
    return send(ctx, api, { method: 'POST', path, ...writing(options), body: printJson(object) });
  });
}

/** Replaces an object. Throws KubeError `Conflict` when its resourceVersion is no longer the newest. */
export async function update(
  ctx: Ctx,
  api: Api,
  object: KubeObject,
  options: PlacedWriteOptions = {},
): Promise<KubeObject> {
  const ref = options.at ?? refOf(object);
  return written(ctx, api, ref, (resource) =>
    send(ctx, api, {
      method: 'PUT',
      path: objectPath(resource, ref),
      ...writing(options),
      body: printJson(object),
    }),
  );
}

export type PatchRequest = { readonly ref: ObjectRef; readonly patch: Patch; readonly options: WriteOptions };

/** Custom resources have no strategic patch; the API server rejects it with UnsupportedMediaType. */
export async function patch(ctx: Ctx, api: Api, request: PatchRequest): Promise<KubeObject> {
  const { ref, options } = request;
  return written(ctx, api, ref, (resource) =>
    send(ctx, api, {
      method: 'PATCH',
      path: objectPath(resource, ref),
      ...writing(options),
      body: printJson(request.patch.body),
      contentType: patchTypes[request.patch.type],
    }),
  );
}

/** The object as it now waits for its finalizers or its grace period; undefined when it is gone. */
export async function remove(
  ctx: Ctx,
  api: Api,
  ref: ObjectRef,
  options: DeleteOptions = {},
): Promise<KubeObject | undefined> {
  return written(ctx, api, ref, async (resource) => {
    const answer = await send(ctx, api, {
      method: 'DELETE',
      path: objectPath(resource, ref),
      ...deleting(options),
    });
    return answer.kind === 'Status' ? undefined : answer;
  });
}

export type CollectionRemoval = { readonly from: Collection; readonly options: DeleteOptions & Selectors };

/** Deletes every object that the selectors match, or all of them when there are none. */
export async function removeCollection(
  ctx: Ctx,
  api: Api,
  { from, options }: CollectionRemoval,
): Promise<void> {
  const { labelSelector, fieldSelector } = options;
  await written(ctx, api, from, (resource) => {
    const { query, ...rest } = deleting(options);
    const path = collectionPath(resource, { metadata: { namespace: from.namespace } });
    return send(ctx, api, {
      method: 'DELETE',
      path,
      query: { ...query, labelSelector, fieldSelector },
      ...rest,
    });
  });
}

type NamedObject = { readonly metadata: { readonly namespace?: string | undefined; readonly name?: string } };

function collectionPath(resource: ApiResource, { metadata: { namespace, name } }: NamedObject): string {
  requireNamespace(resource, { namespace, name });
  return pathOf(resource, { namespace });
}

async function send(ctx: Ctx, { http }: Api, request: HttpRequest): Promise<KubeObject> {
  return (await http.json(ctx, request)) as KubeObject;
}

export function writing(options: WriteOptions): {
  query: QueryParameters;
  onWarning: WriteOptions['onWarning'];
} {
  const { fieldManager, dryRun, fieldValidation, onWarning } = options;
  return { query: { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined }, onWarning };
}

function deleting(options: DeleteOptions): { query: QueryParameters; body: string } {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy,
    gracePeriodSeconds,
    preconditions,
    // a server that reads the body does not read the query
    dryRun: dryRun ? ['All'] : undefined,
  };
  return { query: { dryRun: dryRun ? 'All' : undefined }, body: printJson(body) };
}
