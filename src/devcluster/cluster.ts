import { setMaxListeners } from 'node:events';
import { type Clock, type Logger, silent } from '#std';
import type { Store } from '#store';
import { furnishCluster } from './bootstrap.ts';
import { Chores } from './chores.ts';
import { startCollecting } from './collect.ts';
import type { Core, Webhooks } from './core.ts';
import { startDefinitions } from './crd/lifecycle.ts';
import { startEventExpiry } from './events.ts';
import { createHandler } from './handle.ts';
import { createIds } from './ids.ts';
import { Kinds } from './kinds.ts';
import { startNamespaces } from './namespaces.ts';
import { createObjects, type Objects } from './objects.ts';
import type { ApiRequest, ApiResponse } from './request.ts';
import type { PodLogs } from './serve/pod-log.ts';
import { State } from './state.ts';

export type ClusterOptions = {
  readonly store: Store;
  /** Dates objects; virtual in a rehearsal. Patience on the wire (watch timeouts) is always real time. */
  readonly clock: Clock;
  readonly log?: Logger;
  /** What a container has printed, for `kubectl logs`; without it every log is empty. */
  readonly podLogs?: PodLogs;
  /** Stands in for the admission webhooks of what is installed. */
  readonly webhooks?: Webhooks;
  /** Makes uids, generated names and addresses the same in every run. */
  readonly seed?: number;
  /** How many events of each kind are remembered for watches that resume. */
  readonly history?: number;
};

export type Cluster = {
  handle(request: ApiRequest): Promise<ApiResponse>;
  readonly objects: Objects;
  /** The certificate pods would trust; shown in every namespace's `kube-root-ca.crt`. */
  trust(certificate: string): Promise<void>;
  /** Resolves when the cluster's own chores (garbage collection, emptying namespaces) have nothing left to do. */
  settled(): Promise<void>;
  /** Ends every watch and waits for what is under way. The store stays open: who opened it closes it. */
  close(): Promise<void>;
};

/** Starts a cluster on what the store holds, furnishing a new one. Throws when the store cannot be read. */
export async function createCluster(options: ClusterOptions): Promise<Cluster> {
  const { store, clock, log = silent, history = 4096 } = options;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one for every watch
  const state = new State({ store, history, log });
  const core: Core = {
    state,
    kinds: new Kinds(),
    clock,
    log,
    ids: createIds(options.seed),
    webhooks: options.webhooks ?? (({ object }) => object),
    closing: closing.signal,
  };
  const chores = new Chores(log, () => state.durable());
  let certificate = '';
  startDefinitions(core, chores);
  startNamespaces(core, chores, () => certificate);
  startCollecting(core, chores);
  startEventExpiry(core, chores);
  furnishCluster(core);
  const objects = createObjects(core);
  const settled = async () => {
    await chores.settled();
    await state.durable();
  };
  await settled();
  return {
    handle: createHandler(core, options.podLogs),
    objects,
    async trust(text) {
      certificate = text;
      const trusted = objects.list(
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { fieldSelector: 'metadata.name=kube-root-ca.crt' },
      );
      const change = { type: 'merge', body: { data: { 'ca.crt': text } } } as const;
      for (const { metadata } of trusted) {
        await objects.patch({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata }, change, {
          manager: 'kube-controller-manager',
        });
      }
    },
    settled,
    async close() {
      closing.abort();
      state.wakeAll();
      await chores.close();
      await state.durable().catch(() => {});
    },
  };
}
