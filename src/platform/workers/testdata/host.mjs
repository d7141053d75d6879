// A program that uses a pool once, prints the worker's pid, and then does what its argument says.
import { realClock, silent } from '#base/std';
import { createPool } from '../pool.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const pool = createPool({ module: new URL('./functions.mjs', import.meta.url), size: 1 });
const limits = { ms: 60_000, memoryMb: 64 };
const pid = await pool.run(ctx, 'pid', [], limits);
process.stdout.write(`${pid}\n`);
if (process.argv[2] === 'hang') await pool.run(ctx, 'hang', [], limits);
