import type { KubeObject } from '#base/model';
import { convert } from './convert.ts';
import { type Core, lookUp, tableOf } from './core.ts';
import type { ServedResource } from './kinds.ts';
import { parseSelectors } from './select.ts';
import { follow, type WatchBatch } from './serve/follow.ts';
import type { Stored } from './stored.ts';
import { hooked } from './webhook/session.ts';
import { create } from './write/create.ts';
import { decode } from './write/decode.ts';
import { internalWrite, plainDelete, resourceFor } from './write/internal-write.ts';
import { patch } from './write/patch.ts';
import { bind } from './write/pod-actions.ts';
import { remove } from './write/remove.ts';
import { writeScale } from './write/scale.ts';
import { update } from './write/update.ts';

/** A kind, by any version the cluster serves it in. */
export type TypeRef = { readonly apiVersion: string; readonly kind: string };

/** One object. `namespace` is absent for cluster-scoped kinds. */
export type StoredRef = TypeRef & { readonly namespace?: string | undefined; readonly name: string };

type Select = {
  readonly namespace?: string | undefined;
  /** As in kubectl: `app=web,tier in (a,b),!legacy`. */
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
};

type WatchOptions = Select & {
  readonly signal: AbortSignal;
  /** Only events after this resourceVersion; without it, ADDED for all existing objects, then live. */
  readonly since?: string;
};

export type StoredEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
};

/**
 * The field manager of a write, as managedFields will show it, and the subresource (`status`, `scale`, …) it goes
 * through.
 */
export type StoreWriter = {
  readonly manager: string;
  readonly subresource?: 'status' | 'scale' | 'finalize' | undefined;
};

type Patch =
  | { readonly type: 'merge' | 'strategic'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly type: 'json'; readonly body: readonly Readonly<Record<string, unknown>>[] }
  | { readonly type: 'apply'; readonly body: Readonly<Record<string, unknown>>; readonly force?: boolean };

type DeleteOptions = {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
};

/**
 * The cluster's API in process, for controllers. Reads are synchronous and return frozen objects: copy before
 * changing. Writes go through the same pipeline as a request (admission, defaults, validation, managedFields,
 * watch log), resolve once they are in the store, and throw StatusError when refused. Parts of the arguments may
 * be stored as they are, and are frozen then.
 */
export type Objects = {
  /** Undefined when the object does not exist. */
  get(ref: StoredRef): KubeObject | undefined;
  /** In order of namespace, then name. Throws StatusError NotFound when the kind is not served. */
  list(type: TypeRef, select?: Select): readonly KubeObject[];
  /** Objects that name `uid` in their ownerReferences, of every kind. */
  dependents(uid: string): readonly KubeObject[];
  /** Ends when the signal aborts or the cluster closes; throws StatusError Expired when `since` is too old. */
  watch(type: TypeRef, options: WatchOptions): AsyncIterable<StoredEvent>;
  create(object: KubeObject, by: StoreWriter): Promise<KubeObject>;
  /** Conflict when metadata.resourceVersion is given and not the latest. */
  update(object: KubeObject, by: StoreWriter): Promise<KubeObject>;
  patch(ref: StoredRef, patch: Patch, by: StoreWriter): Promise<KubeObject>;
  /** Writes `status` alone, through the status subresource, as a merge patch: null removes a field. */
  patchStatus(
    ref: StoredRef,
    status: Readonly<Record<string, unknown>>,
    by: StoreWriter,
  ): Promise<KubeObject>;
  /** Binds a pod to a node, as a scheduler does. Conflict when it is bound already. */
  bind(pod: StoredRef, node: string, by: StoreWriter): Promise<void>;
  /** The object while finalizers or a grace period hold it; undefined when it is deleted. */
  remove(ref: StoredRef, options: DeleteOptions, by: StoreWriter): Promise<KubeObject | undefined>;
};

/** The cluster's API in process, over the same pipeline as requests. */
export function createObjects(core: Core): Objects {
  const resource = (type: TypeRef) => resourceFor(core, type);
  const view = ({ item }: Stored, type: TypeRef) => convert(item, resource(type)) as KubeObject;
  const answer = async (stored: Stored, type: TypeRef) => {
    await core.state.durable();
    return view(stored, type);
  };
  const target = ({ namespace }: { namespace?: string | undefined }, { subresource }: StoreWriter) => ({
    namespace,
    subresource,
  });

  return {
    get(ref) {
      const found = lookUp(core, resource(ref), ref.namespace ?? '', ref.name);
      return found && view(found, ref);
    },
    list(type, select = {}) {
      const match = parseSelectors(resource(type), select);
      const all = tableOf(core, resource(type)).list(select.namespace);
      return (match ? all.filter(({ item }) => match(item)) : all).map((stored) => view(stored, type));
    },
    dependents: (uid) => core.state.dependents(uid).map(({ stored }) => stored.item as KubeObject),
    watch: (type, options) => events(core, resource(type), options),
    async create(object, by) {
      const writing = internalWrite(core, resource(object), by.manager, target(object.metadata, by));
      const item = decode({ value: { ...object } }, writing.resource, writing.options);
      return answer(await hooked(writing, (own) => create(own, item)), object);
    },
    async update(object, by) {
      const writing = internalWrite(core, resource(object), by.manager, target(object.metadata, by));
      const item = decode({ value: { ...object } }, writing.resource, writing.options);
      const { stored } = await hooked(writing, (own) => update(own, object.metadata.name, item));
      return answer(stored, object);
    },
    async patch(ref, change, by) {
      const writing = internalWrite(core, resource(ref), by.manager, target(ref, by));
      const force = change.type === 'apply' && change.force === true;
      if (by.subresource === 'scale') {
        const { item } = await hooked(writing, (own) => writeScale(own, ref.name, change));
        await core.state.durable();
        return item as KubeObject;
      }
      const { stored } = await hooked(writing, (own) => patch(own, ref.name, change, force));
      return answer(stored, ref);
    },
    patchStatus(ref, status, by) {
      const change = { type: 'merge', body: { status } } as const;
      return this.patch(ref, change, { ...by, subresource: 'status' });
    },
    async bind(ref, node, by) {
      const writing = internalWrite(core, resource(ref), by.manager, ref);
      bind(writing, ref.name, { metadata: { name: ref.name }, target: { name: node } });
      await core.state.durable();
    },
    async remove(ref, options, by) {
      const writing = internalWrite(core, resource(ref), by.manager, ref);
      const request = { ...plainDelete, ...options };
      const { stored, gone } = await hooked(writing, (own) => remove(own, ref.name, request));
      await core.state.durable();
      return gone ? undefined : view(stored, ref);
    },
  };
}

function events(core: Core, resource: ServedResource, options: WatchOptions): AsyncGenerator<StoredEvent> {
  const { namespace = '', signal, since } = options;
  const match = parseSelectors(resource, options);
  const from = since === undefined ? undefined : Number(since);
  return unpacked(
    follow(core, { collection: tableOf(core, resource), namespace, match, signal, since: from }),
    resource,
  );
}

async function* unpacked(
  batches: AsyncIterable<WatchBatch>,
  resource: ServedResource,
): AsyncGenerator<StoredEvent> {
  for await (const { events: seen } of batches) {
    for (const { type, stored } of seen) yield { type, object: convert(stored.item, resource) as KubeObject };
  }
}
