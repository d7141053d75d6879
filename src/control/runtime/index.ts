/**
 * loop: the control loop. Keys come in from watches, webhooks and timers; each is handed to a worker, which looks at
 * the object behind it and takes a step. What a key means is the controller's business; here it is only a string.
 *
 * The queue
 * (1) A key is in the hands of at most one worker at any moment.
 * (2) Nothing is lost: after an add, a pass over that key begins, and it begins after the add. A key added while it is
 *     worked on is handed out once more when it is done.
 * (3) Nothing is invented: adds of a key that already waits make no second pass.
 * (4) Within a lane, first come, first served. `prompt` goes before `bulk`, except that while both have work every
 *     eighth key comes from `bulk`. A prompt add moves a bulk key over. So a start-up list, a resync or a storm of
 *     retries does not delay what a user asked for, one noisy key does not delay others, and nobody starves.
 * (5) Of several delays for one key the earliest counts. An undelayed add does not cancel a delay: whoever asked for
 *     a look at that time gets it.
 * (6) The wait before a retry doubles, with jitter, until `forget`. A wall clock that jumps back delays nothing.
 * (7) One sleeping timer serves all delayed keys; a key at rest without failures takes no memory.
 *
 * The runner
 * (8) A pass that returns is forgotten; one that throws a terminal FairleadError is too, and waits for a change; any
 *     other error is retried. Nobody else decides this. A pass may also ask to be run again after a while.
 * (9) Stopping is not failing: when `ctx` stops no key is handed out, running passes unwind, nothing is logged, and
 *     a pass cut short leaves its key in the queue.
 *
 * Leadership
 * (10) Of all processes that compete for one Lease at most one leads at any moment, whatever their wall clocks say. A leader
 *      that cannot renew has stopped before its lease ends; one that stops leaves the Lease to the others.
 *
 * Refused: payloads beside the key (look the object up; it is newer), deadlines for passes (the pass narrows its own
 * ctx), and two runners on one queue.
 */
export { type Requeue, runWorkers } from './controller.ts';
export { runAsLeader } from './leadership.ts';
export { type Lane, type QueueHooks, WorkQueue } from './work-queue.ts';
