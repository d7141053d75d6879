import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('./testdata/host.mjs', import.meta.url));
const slow = 60_000;

function start(then: 'leave' | 'hang'): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', script, then], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function workerOf(host: ChildProcess): Promise<number> {
  for await (const chunk of host.stdout ?? []) return Number(chunk);
  return expect.unreachable();
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.concurrent('an idle worker neither keeps its pool alive nor outlives it', {
  timeout: slow,
}, async () => {
  const host = start('leave');
  const exit = once(host, 'exit');
  const worker = await workerOf(host);
  expect(await exit).toEqual([0, null]);
  await expect.poll(() => isRunning(worker), { timeout: slow }).toBe(false);
});

test.concurrent('a worker in an endless loop ends itself when its pool was killed', {
  timeout: slow,
}, async () => {
  const host = start('hang');
  const worker = await workerOf(host);
  host.kill('SIGKILL');
  await expect.poll(() => isRunning(worker), { timeout: slow }).toBe(false);
});
