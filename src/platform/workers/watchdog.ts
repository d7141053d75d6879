import { Worker } from 'node:worker_threads';

/** The states of the cell both threads share. The watchdog goes to sleep only when the worker is idle. */
const [atRest, busy, asleep] = [0, 1, 2];

/**
 * Plain JavaScript, because it runs in a thread of its own and must start at once, whatever loads the rest. While a function
 * runs, and for a moment after, it checks every 50 ms; a quick series of calls never has to wake it.
 */
const source = `
const { writeSync } = require('node:fs');
const { cell, pool, maxBytes } = require('node:worker_threads').workerData;
const nap = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  if (Atomics.compareExchange(cell, 0, ${atRest}, ${asleep}) === ${atRest}) Atomics.wait(cell, 0, ${asleep});
  if (process.ppid !== pool) process.kill(process.pid, 'SIGKILL');
  if (process.memoryUsage.rss() > maxBytes) {
    writeSync(2, 'out of memory');
    process.kill(process.pid, 'SIGKILL');
  }
  Atomics.wait(nap, 0, 0, 50);
}
`;

export type Watchdog = { watch(): void; rest(): void };

/**
 * Ends this process when it outgrows `maxBytes` or outlives its pool while a function runs, which the main thread
 * cannot notice itself. The heap limit of V8 does not count buffers; this does.
 */
export function startWatchdog(maxBytes: number): Watchdog {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { cell, pool: process.ppid, maxBytes };
  new Worker(source, { eval: true, execArgv: [], workerData }).unref();
  return {
    watch() {
      if (Atomics.exchange(cell, 0, busy) === asleep) Atomics.notify(cell, 0);
    },
    rest() {
      Atomics.store(cell, 0, atRest);
    },
  };
}
