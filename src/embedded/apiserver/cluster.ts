import { setMaxListeners } from 'node:events';
import { type Clock, type FairleadError, type Logger, silent } from '#base/std';
import { memoryStore, type Store } from '#platform/store';
import { Access, type AccessOptions } from './access/access.ts';
import { startAccountSecrets } from './access/account-secrets.ts';
import { startAggregation } from './access/aggregation.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { furnishCluster } from './bootstrap.ts';
import { startCollecting } from './collect.ts';
import type { AdmissionHook, Core } from './core.ts';
import { startDefinitions } from './crd/lifecycle.ts';
import { type EventLimits, startEventExpiry } from './events.ts';
import { withAdmissionFaults } from './faults/admission.ts';
import { Faults } from './faults/faults.ts';
import { startFaultObjects } from './faults/objects.ts';
import { createHandler } from './handle.ts';
import type { HistoryLimits } from './history.ts';
import { createIds } from './ids.ts';
import { ServedKinds } from './kinds.ts';
import { startNamespaces } from './namespaces.ts';
import { createObjects, type Objects } from './objects.ts';
import { startPolicyStatus } from './policy/observe.ts';
import { Policies } from './policy/policies.ts';
import { startProtection } from './protect.ts';
import { startQuotas } from './quotas.ts';
import type { ServedRequest, ServedResponse } from './request.ts';
import type { PodLogs } from './serve/pod-log.ts';
import { type Snapshot, State } from './state.ts';
import { serveStream, type Upgrade } from './stream/exec.ts';
import { Hooks } from './webhook/hooks.ts';

export type ClusterOptions = AccessOptions & {
  readonly store: Store;
  /** Dates objects; virtual in a rehearsal. Timeouts on the wire (of watches) are always real time. */
  readonly clock: Clock;
  readonly log?: Logger;
  /** The output of a container, for `kubectl logs`; without it every log is empty. */
  readonly podLogs?: PodLogs;
  /** Replaces the admission webhooks of installed programs. */
  readonly webhooks?: AdmissionHook;
  /** Makes uids, generated names and addresses the same in every run. */
  readonly seed?: number;
  /** The initial state when the store is empty. */
  readonly from?: Snapshot;
  /** How much history is kept for watches that resume and lists that continue. */
  readonly history?: Partial<HistoryLimits>;
  /** How long Events are kept, and how many. */
  readonly events?: Partial<EventLimits>;
};

export type EmbeddedCluster = {
  handle(request: ServedRequest): Promise<ServedResponse>;
  /**
   * Serves a connection that is upgraded from HTTP (exec, attach). A refusal is sent as a response of HTTP.
   */
  stream(upgrade: Upgrade): Promise<void>;
  readonly objects: Objects;
  /**
   * Injects faults (contract cluster 5.8). Requests of in-process controllers are exempt, but not their admission.
   */
  readonly faults: Faults;
  /** The certificate that pods would trust; stored in every namespace's `kube-root-ca.crt`. */
  trust(certificate: string): Promise<void>;
  /** The current state, by reference: it costs a pointer for each object. */
  snapshot(): Snapshot;
  /** The memory in use: by the live objects, and by the history for watches and lists. */
  usage(): ClusterUsage;
  /** A cluster in memory that starts with the state of this one, or with `from`, and is independent of it. */
  fork(options?: Partial<ClusterOptions>): Promise<EmbeddedCluster>;
  /** Resolves when the cluster's own tasks (garbage collection, emptying namespaces) are done. */
  settled(): Promise<void>;
  /** The error that prevents writes (a full disk); undefined when there is none. Reads work either way. */
  failure(): FairleadError | undefined;
  /** Ends every watch and waits for requests in progress. The store stays open: its owner closes it. */
  close(): Promise<void>;
};

/** Sizes are those of the objects' JSON; memory takes a small multiple. */
type ClusterUsage = {
  readonly objects: number;
  readonly objectBytes: number;
  readonly historyEvents: number;
  readonly historyBytes: number;
};

/**
 * Starts a cluster with the content of the store; creates the default objects of a new one. Throws when the store
 * cannot be read.
 */
export async function createCluster(options: ClusterOptions): Promise<EmbeddedCluster> {
  const { store, clock, log = silent, history = {} } = options;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // one listener for every watch
  const state = new State({ store, history, clock, log, closing: closing.signal, from: options.from });
  const ids = createIds(seedAt(options.seed, state.rv));
  const access = new Access({ state, store, clock, ids }, options);
  const faults = new Faults(clock);
  const kinds = new ServedKinds();
  const core: Core = {
    state,
    access,
    faults,
    kinds,
    clock,
    log,
    ids,
    webhooks: withAdmissionFaults(options.webhooks ?? (({ object }) => object), faults, kinds),
    policies: new Policies(state),
    hooks: new Hooks(state),
    closing: closing.signal,
  };
  const tasks = new BackgroundTasks(log, {
    breathe: () => state.durable(),
    isBlocked: () => state.failure !== undefined,
  });
  state.onResume(() => tasks.resume());
  let certificate = '';
  startDefinitions(core, tasks);
  startNamespaces(core, tasks, () => certificate);
  startCollecting(core, tasks);
  startQuotas(core, tasks);
  startProtection(core, tasks);
  startEventExpiry(core, tasks, options.events);
  startAggregation(core, tasks);
  startPolicyStatus(core, tasks);
  startFaultObjects(core);
  startAccountSecrets(core, tasks, () => certificate);
  furnishCluster(core);
  const objects = createObjects(core);
  const settled = async () => {
    await tasks.settled();
    await state.durable();
  };
  await settled();
  return {
    handle: createHandler(core, options.podLogs),
    stream: (upgrade) => serveStream(core, upgrade),
    objects,
    faults,
    async trust(text) {
      certificate = text;
      await publishCertificate(objects, text);
    },
    snapshot: () => state.snapshot(),
    usage: () => state.usage(),
    fork: (changes = {}) =>
      createCluster({ ...options, store: memoryStore(), from: state.snapshot(), ...changes }),
    settled,
    failure: () => state.failure,
    async close() {
      closing.abort();
      state.wakeAll();
      await tasks.close();
      await state.durable().catch(() => {});
    },
  };
}

/** Writes the certificate into the `kube-root-ca.crt` of every namespace. */
async function publishCertificate(objects: Objects, text: string): Promise<void> {
  const type = { apiVersion: 'v1', kind: 'ConfigMap' };
  const change = { type: 'merge', body: { data: { 'ca.crt': text } } } as const;
  for (const { metadata } of objects.list(type, { fieldSelector: 'metadata.name=kube-root-ca.crt' })) {
    await objects.patch({ ...type, ...metadata }, change, { manager: 'kube-controller-manager' });
  }
}

/** A cluster that continues from a snapshot must not repeat the ids that were generated before it. */
const seedAt = (seed: number | undefined, rv: number): number | undefined =>
  seed === undefined || rv === 1 ? seed : seed ^ Math.imul(rv, 0x9e3779b1);
