/**
 * devcluster: a Kubernetes-compatible API server in one process, for try-out, rehearsal and tests.
 *
 * It serves one function, `cluster.handle(request) → response`, which is spoken over HTTPS by listen() and in
 * process by whoever holds the cluster. It knows nothing of `kube`, our client: two independent readings of the
 * Kubernetes API test each other.
 *
 * Invariants
 * (1) One counter, the resourceVersion, orders every write of the cluster; it never goes back and no number is
 *     ever given to two different states, not even across `kill -9`.
 * (2) Nothing leaves the process before it is in the store: no answer, no watch event, shows a write that a
 *     crash could still undo.
 * (3) A stored object is never changed; a write puts a new one in its place. Readers share frozen objects.
 * (4) A write that changes nothing takes no resourceVersion and wakes no watcher.
 * (5) A write is turned into bytes once per form: the store, the answer and all who watch share them. When it is no
 *     longer news they are given up, so that very many objects cost no more than what is in them.
 * (6) An idle cluster has no timers and does no work.
 * (7) Who asks is proven or refused, and what they may do is decided in one place (access/), for requests, reviews
 *     and streams alike.
 * (8) A fault that was asked for (faults/) follows from the seed and the request, and never undoes (1) to (5).
 * (9) Policies (policy/) and webhooks (webhook/) cost a write nothing where there are none. A webhook is asked once about
 *     each state of an object, and a slow or hostile one fails nothing but the request it was asked about.
 *
 * It refuses what it does not know with a Status that says so (`not supported yet: …`), never with a guess.
 * It runs no workloads; the controllers that pretend to are next door, in `simulate`.
 */
export { parseTokens } from './access/static-tokens.ts';
export { type ClusterOptions, createCluster, type EmbeddedCluster } from './cluster.ts';
export { chaos } from './faults/chaos.ts';
export { parseFaults } from './faults/parse.ts';
export type { FaultRule } from './faults/rule.ts';
export { type EmbeddedListener, listen } from './listen.ts';
export type { Objects, StoredEvent, StoredRef, StoreWriter, TypeRef } from './objects.ts';
export { StatusError } from './status.ts';
