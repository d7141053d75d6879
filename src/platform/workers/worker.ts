// The program of a worker process: load a module of functions, then handle calls one by one until the pool disconnects.
// Arguments: the module's URL and the memory budget in MB.
import { FairleadError } from '#base/std';
import { startWatchdog, type Watchdog } from './watchdog.ts';
import { failureOf, type Reply, type WorkerCall } from './wire.ts';

type Fn = (...args: readonly unknown[]) => unknown;

const mb = 2 ** 20;
/** Besides the heap budget, as much again for buffers, and this for the young generation and the engine. */
const slackMb = 64;

const reply = (message: Reply) => process.send?.(message);

async function serve(url: string, memoryMb: number): Promise<void> {
  process.once('disconnect', () => process.exit(0));
  const functions = await load(url);
  const watchdog = startWatchdog(process.memoryUsage.rss() + (2 * memoryMb + slackMb) * mb);
  // the pool sends the next call only after the reply to the last one
  process.on('message', (call: WorkerCall) => answer(functions, watchdog, call));
  reply({ did: 'load' });
}

async function load(url: string): Promise<ReadonlyMap<string, Fn>> {
  try {
    const module: { functions: Readonly<Record<string, Fn>> } = await import(url);
    return new Map(Object.entries(module.functions));
  } catch (error) {
    throw new FairleadError('Internal', 'the worker module cannot be loaded', error);
  }
}

async function answer(
  functions: ReadonlyMap<string, Fn>,
  watchdog: Watchdog,
  { name, args }: WorkerCall,
): Promise<void> {
  try {
    watchdog.watch();
    const run = functions.get(name);
    if (!run) throw new FairleadError('Internal', `the worker module has no function ${name}`);
    giveBack(name, await run(...args));
  } catch (thrown) {
    reply({ did: 'throw', ...failureOf(thrown, name) });
  } finally {
    watchdog.rest();
  }
}

function giveBack(name: string, value: unknown): void {
  try {
    reply({ did: 'return', value });
  } catch (error) {
    throw new FairleadError('Internal', `the result of ${name} cannot be copied`, error);
  }
}

const [, , url = '', memoryMb] = process.argv;
try {
  await serve(url, Number(memoryMb));
} catch (thrown) {
  reply({ did: 'throw', ...failureOf(thrown, 'the worker module') });
}
