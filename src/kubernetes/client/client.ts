import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { type Api, type Collection, type ObjectRef, refOf, served } from './api.ts';
import { type ApplyOptions, apply } from './apply.ts';
import { type Catalog, Discovery, type KindRef } from './discovery.ts';
import type { ApiResource } from './discovery-document.ts';
import { type ExecOptions, type ExecSession, exec } from './exec.ts';
import { createHttp, type HttpAnswer, type HttpRequest } from './http.ts';
import { type KubeList, type ListOptions, list, type Selectors } from './list.ts';
import { type LogOptions, logs, type PodRef } from './logs.ts';
import { pathOf } from './path.ts';
import type { Transport } from './transport.ts';
import {
  create,
  type DeleteOptions,
  find,
  get,
  type Patch,
  type PlacedWriteOptions,
  patch,
  remove,
  removeCollection,
  update,
  type WriteOptions,
} from './verbs.ts';
import { createFrames, type WatchEvent, type WatchOptions, watchOnce } from './watch.ts';

/** One cluster, every verb. Objects go in and come out as they are: no field is dropped, no number rounded. */
export type KubeClient = {
  /** Throws KubeError `NotFound` when there is no such object, `NoMatch` when there is no such kind. */
  get(ctx: Ctx, ref: ObjectRef): Promise<KubeObject>;
  /** Like get, but an object that does not exist is undefined. A kind that does not exist is still an error. */
  find(ctx: Ctx, ref: ObjectRef): Promise<KubeObject | undefined>;
  /** All objects of a kind, in one namespace or everywhere, read in pages. */
  list(ctx: Ctx, from: Collection, options?: ListOptions): Promise<KubeList>;
  create(ctx: Ctx, object: KubeObject, options?: PlacedWriteOptions): Promise<KubeObject>;
  /** Replaces. Throws KubeError `Conflict` when the object's resourceVersion is no longer the newest. */
  update(ctx: Ctx, object: KubeObject, options?: PlacedWriteOptions): Promise<KubeObject>;
  updateStatus(ctx: Ctx, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(ctx: Ctx, ref: ObjectRef, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** Server-side apply. Safe to repeat. */
  apply(ctx: Ctx, object: KubeObject, options: ApplyOptions): Promise<KubeObject>;
  /** The object as it now waits for its finalizers or its grace period; undefined when it is gone. */
  delete(ctx: Ctx, ref: ObjectRef, options?: DeleteOptions): Promise<KubeObject | undefined>;
  /** Deletes all that the selectors match, or all there is when there are none. */
  deleteCollection(ctx: Ctx, from: Collection, options?: DeleteOptions & Selectors): Promise<void>;
  /** One watch, to its end: see `listWatch` for one that never ends. Resolves when the server has accepted. */
  watch(ctx: Ctx, from: Collection, options?: WatchOptions): Promise<AsyncGenerator<WatchEvent>>;
  logs(ctx: Ctx, pod: PodRef, options?: LogOptions): AsyncGenerator<string>;
  /** Runs a command with a terminal in a container. */
  exec(ctx: Ctx, pod: PodRef, options: ExecOptions): Promise<ExecSession>;
  /** Everything the cluster serves. */
  catalog(ctx: Ctx): Promise<Catalog>;
  /** Where a kind is served. Throws KubeError `NoMatch` when it is not. */
  resource(ctx: Ctx, kind: KindRef): Promise<ApiResource>;
  /** Invalidates discovery, because a definition was created, changed or deleted. */
  invalidate(): void;
  /** Any other URL of the server: /version, /openapi/v3, … Throws KubeError when refused. */
  raw(ctx: Ctx, request: HttpRequest): Promise<HttpAnswer>;
  /** The same cluster as another user. */
  as(user: string): KubeClient;
};

/** A client over any transport: `networkTransport` for a cluster somewhere, a function for one in this process. */
export function createKubeClient({ transport }: { readonly transport: Transport }): KubeClient {
  // Discovery does not depend on the user, so all clients share one.
  return clientFor(transport, new Discovery(createHttp({ transport })), undefined);
}

function clientFor(transport: Transport, discovery: Discovery, impersonate: string | undefined): KubeClient {
  const api: Api = { http: createHttp({ transport, impersonate }), discovery };
  const frames = createFrames();
  return {
    get: (ctx, ref) => get(ctx, api, ref),
    find: (ctx, ref) => find(ctx, api, ref),
    list: (ctx, from, options) => list(ctx, api, from, options),
    create: (ctx, object, options) => create(ctx, api, object, options),
    update: (ctx, object, options) => update(ctx, api, object, options),
    updateStatus: (ctx, object, options) =>
      update(ctx, api, object, { ...options, at: { ...refOf(object), subresource: 'status' } }),
    patch: (ctx, ref, change, options = {}) => patch(ctx, api, { ref, patch: change, options }),
    apply: (ctx, object, options) => apply(ctx, api, object, options),
    delete: (ctx, ref, options) => remove(ctx, api, ref, options),
    deleteCollection: (ctx, from, options = {}) => removeCollection(ctx, api, { from, options }),
    watch: (ctx, from, options) =>
      served(ctx, api, from, (resource) => {
        const kind = `${resource.group}/${resource.kind}`;
        return watchOnce(ctx, { http: api.http, frames }, { kind, path: pathOf(resource, from) }, options);
      }),
    exec: (ctx, pod, options) =>
      exec(ctx, { api, openStream: transport.openStream, impersonate }, pod, options),
    logs: (ctx, pod, options) => logs(ctx, api, pod, options),
    catalog: (ctx) => discovery.catalog(ctx),
    resource: (ctx, kind) => discovery.resource(ctx, kind),
    invalidate: () => discovery.invalidate(),
    raw: (ctx, request) => api.http.text(ctx, request),
    as: (user) => clientFor(transport, discovery, user),
  };
}
