/**
 * runtime: the control loop. Watches, webhooks and timers add keys; each is handed to a worker, which reconciles the object
 * behind it. Only the controller interprets a key; here it is a string.
 *
 * The queue
 * (1) At most one worker processes a key at any moment.
 * (2) Nothing is lost: after an add, a pass over that key begins, and it begins after the add. A key added while it is
 *     processed is handed out once more when it is done.
 * (3) Nothing is duplicated: adding a key that already waits causes no second pass.
 * (4) Within a lane, first come, first served. `prompt` goes before `bulk`, except that while both have work every
 *     eighth key comes from `bulk`. A prompt add moves a bulk key over. So a start-up list, a resync or a storm of
 *     retries does not delay user requests, one noisy key does not delay others, and no key starves.
 * (5) Of several delays for one key the earliest counts. An undelayed add does not cancel a delay: the pass scheduled
 *     for that time still runs.
 * (6) The wait before a retry doubles, with jitter, until `forget`. A wall clock that jumps back delays nothing.
 * (7) One timer serves all delayed keys; an idle key without failures takes no memory.
 *
 * The workers
 * (8) A pass that returns resets the backoff; so does one that throws a terminal FairleadError, which waits for a change; any
 *     other error is retried. No other code decides this. A pass may also request another pass after a while.
 * (9) Stopping is not failing: when `ctx` stops no key is handed out, running passes unwind, nothing is logged, and
 *     a pass cut short leaves its key in the queue.
 *
 * Leader election
 * (10) Of all processes that compete for one Lease at most one leads at any moment, whatever their wall clocks say. A leader
 *      that cannot renew stops before its lease ends; one that stops releases the Lease.
 *
 * Not supported on purpose: payloads beside the key (get the object from the cache; it is newer), deadlines for passes (the
 * pass narrows its own ctx), and two worker pools on one queue.
 */
export { type Requeue, runWorkers } from './controller.ts';
export { runAsLeader } from './leadership.ts';
export { type Lane, type QueueHooks, WorkQueue } from './work-queue.ts';
