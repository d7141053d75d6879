/**
 * threads: runs a pure function on another core, within a budget of time and memory, and outlives whatever happens
 * to it. Renderers and user scripts see input nobody vouches for; here is where that input may hang, explode or crash.
 *
 * A worker is a process, not a thread of this one. The memory limit of a thread does not hold: measured on Node 20, a
 * Map, a Set, an object or an array that grows past it aborts the whole process. Copying arguments to a process costs
 * what copying them to a thread does.
 *
 * Promises
 * (1) Whatever a function does (throws, never returns, fills the heap, fills buffers, exits, overflows the stack), only
 *     its own run fails. Runs waiting in line and on other workers notice nothing.
 * (2) An error crosses with its code and message. Past its time, past its memory, nested too deep: `LimitExceeded`.
 *     A worker that dies otherwise: `Internal`.
 * (3) Never more than `size` workers; a killed one is gone before its successor starts. First come, first served.
 * (4) When `ctx` stops, a waiting run leaves the line, and the worker of a running one is killed. A run rejects only
 *     when its worker is idle or gone.
 * (5) An idle worker does not keep this process alive. A busy one whose parent vanished ends itself within moments.
 * (6) `memoryMb` bounds the heap; buffers and the rest of the process may take about as much again. A worker
 *     serves one budget; a run with another makes it be replaced, so functions with unlike budgets want unlike pools.
 * (7) A worker gets no environment variables, and what it prints is thrown away.
 *
 * A worker module exports `functions`, a record; one more function is one more line in it. Arguments and results are
 * copied by structured clone: plain data, bigint, Map, Set, Date and Uint8Array; neither functions nor class instances.
 *
 * Scripts
 * (8) `ScriptRunner` runs users' Lua in workers of its own: a second each, and memory to match. Most scripts stop themselves at
 *     their limits; the runner kills the worker of one that cannot, and runs again what was to run beside it.
 * (9) A script that met its limits three times within minutes is set aside: for a minute that is its verdict on every
 *     object it has not judged yet, and the next overrun sets it aside again. A thousand objects with an endless check
 *     cost three seconds, and then one a minute.
 *
 * In slices
 * (10) `inSteps` does on this core what is too much for one go and too large to be copied: in slices, with everything else
 *      in between. However many are at it, everybody else waits for one slice, and who has had the least is next.
 *
 * Refused: state in a worker between runs, streaming, and calling back.
 */
export { inSteps, inTurn, slices } from './in-steps.ts';
export { createPool, type Pool } from './pool.ts';
export type { ScriptOutcome } from './script-batch.ts';
export { type ScriptJob, ScriptRunner } from './script-runner.ts';
