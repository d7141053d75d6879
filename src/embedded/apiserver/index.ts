/**
 * apiserver: a Kubernetes-compatible API server in one process, for try-out, rehearsal and tests.
 *
 * It serves one function, `cluster.handle(request) → response`: over HTTPS by listen(), and in process by the code
 * that holds the cluster. It does not use `kubernetes/client`: two independent readings of the Kubernetes API test
 * each other.
 *
 * Invariants
 * (1) One counter, the resourceVersion, orders every write of the cluster; it never goes back and no number is
 *     ever given to two different states, not even across `kill -9`.
 * (2) Nothing leaves the process before it is in the store: no response and no watch event shows a write that a
 *     crash could still undo.
 * (3) A stored object is never changed; a write replaces it by a new one. Readers share frozen objects.
 * (4) A write that changes nothing takes no resourceVersion and notifies no watch.
 * (5) A write is serialized once per form: the store, the response and all watches share the text. Texts of older
 *     writes are evicted, so that very many objects cost no more than their content.
 * (6) An idle cluster has no timers and does no work.
 * (7) Every request is authenticated or refused, and authorized in one place (access/), for requests, reviews and
 *     streams alike.
 * (8) An injected fault (faults/) follows from the seed and the request, and never violates (1) to (5).
 * (9) Policies (policy/) and webhooks (webhook/) cost a write nothing where there are none. A webhook is called
 *     once for each state of an object, and a slow or hostile one fails only the request it was called for.
 *
 * It refuses unsupported requests with a Status that says so (`not supported yet: …`), never with a guess. It runs
 * no workloads; the simulated controllers are in the room `controllers`.
 */
export { parseTokens } from './access/static-tokens.ts';
export { type ClusterOptions, createCluster, type EmbeddedCluster } from './cluster.ts';
export type { AdmissionHook } from './core.ts';
export { chaos } from './faults/chaos.ts';
export { parseFaults } from './faults/parse.ts';
export type { FaultRule } from './faults/rule.ts';
export { type EmbeddedListener, listen } from './listen.ts';
export type { Objects, StoredEvent, StoredRef, StoreWriter, TypeRef } from './objects.ts';
export { StatusError } from './status.ts';
