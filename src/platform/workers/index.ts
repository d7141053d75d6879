/**
 * workers: runs a pure function on another core, within a budget of time and memory, and survives whatever happens
 * to it. Renderers and user scripts process untrusted input; here that input may hang, exhaust memory or crash.
 *
 * A worker is a process, not a thread of this one. The memory limit of a thread does not hold: measured on Node 20, a
 * Map, a Set, an object or an array that grows past it aborts the whole process. Copying arguments to a process costs
 * the same as copying them to a thread.
 *
 * Promises
 * (1) Whatever a function does (throws, never returns, fills the heap, fills buffers, exits, overflows the stack), only
 *     its own run fails. Queued runs and those on other workers are not affected.
 * (2) An error keeps its code and message. Over its time, over its memory, nested too deep: `LimitExceeded`.
 *     A worker that dies otherwise: `Internal`.
 * (3) Never more than `size` workers; a killed one has exited before its successor starts. First come, first served.
 * (4) When `ctx` stops, a waiting run leaves the queue, and the worker of a running one is killed. A run rejects only
 *     when its worker is idle or has exited.
 * (5) An idle worker does not keep this process alive. A busy one whose parent exited ends itself within moments.
 * (6) `memoryMb` bounds the heap; buffers and the rest of the process may take about as much again. A worker
 *     serves one budget; a run with another one replaces it, so functions with unlike budgets want unlike pools.
 * (7) A worker gets no environment variables, and its output is discarded.
 *
 * A worker module exports `functions`, a record; one more function is one more line in it. Arguments and results are
 * copied by structured clone: plain data, bigint, Map, Set, Date and Uint8Array; neither functions nor class instances.
 *
 * Scripts
 * (8) `ScriptRunner` runs users' Lua in workers of its own: a second each, and memory to match. Most scripts stop themselves
 * at
 *     their limits; the runner kills the worker of one that cannot, and runs the rest of its batch again.
 * (9) A script that exceeded its limits three times within minutes is quarantined: for a minute that is its result for every
 *     object without one, and the next overrun quarantines it again. A thousand objects with an endless check
 *     cost three seconds, and then one a minute.
 *
 * Slices
 * (10) `inSteps` runs on this core what takes too long at once and is too large to be copied: in slices, with other work
 *      in between. However many run, other work waits for one slice, and the one with the fewest slices is next.
 *
 * Not supported on purpose: state in a worker between runs, streaming, and callbacks.
 */
export { inSteps, nextSlice, slices } from './in-steps.ts';
export { createPool, type Pool } from './pool.ts';
export type { ScriptOutcome } from './script-batch.ts';
export { type ScriptJob, ScriptRunner } from './script-runner.ts';
