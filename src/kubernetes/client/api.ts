import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import type { Discovery, KindRef } from './discovery.ts';
import type { ApiResource } from './discovery-document.ts';
import { isPathMissing } from './errors.ts';
import type { Http } from './http.ts';

/** The dependencies that the verbs of a client share. */
export type Api = { readonly http: Http; readonly discovery: Discovery };

/** One object, or a subresource of it. */
export type ObjectRef = KindRef & {
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string | undefined;
};

/** All objects of a kind, in one namespace or everywhere. */
export type Collection = KindRef & { readonly namespace?: string | undefined };

/** The reference under which an object is stored. */
export function refOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): ObjectRef {
  return { apiVersion, kind, namespace, name };
}

/**
 * Runs a request at the path where a kind is served. A 404 for the path itself means that our discovery is
 * stale: it is read again, and a kind that is gone is reported as such.
 */
export async function served<T>(
  ctx: Ctx,
  { discovery }: Api,
  kind: KindRef,
  work: (resource: ApiResource) => Promise<T>,
): Promise<T> {
  const resource = await discovery.resource(ctx, kind);
  try {
    return await work(resource);
  } catch (error) {
    if (!isPathMissing(error)) throw error;
    discovery.invalidate();
    await discovery.resource(ctx, kind);
    throw error;
  }
}

const definitions: ReadonlySet<string> = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** Like `served`, for a write: a write that may change what the cluster serves invalidates discovery. */
export async function written<T>(
  ctx: Ctx,
  api: Api,
  kind: KindRef,
  work: (resource: ApiResource) => Promise<T>,
): Promise<T> {
  return served(ctx, api, kind, async (resource) => {
    const result = await work(resource);
    if (definitions.has(resource.group)) api.discovery.invalidate();
    return result;
  });
}
