import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fairlead, forget, isSettled, startFairlead } from '../test/e2e/fairlead.ts';
import type { Figure } from './harness.ts';

const names = ['demo', 'guestbook', 'storefront', 'catalog', 'hello', 'product-import-staging'];
const idleMs = 15_000;
const ticksPerSecond = 100;

/** The whole program, started as a user starts it, on a new data folder. Needs `npm run build`. */
export async function figures(): Promise<Figure[]> {
  const began = performance.now();
  const fairlead = await startFairlead();
  try {
    for (const name of names) await fairlead.until(name, 'synced and healthy', isSettled);
    const settledMs = performance.now() - began;
    const commits: number[] = [];
    for (let replicas = 3; replicas < 10; replicas++) commits.push(await commitToApplied(fairlead, replicas));
    await sleep(5_000);
    const before = cpuSeconds(fairlead.pid);
    await sleep(idleMs);
    const cpu = ((cpuSeconds(fairlead.pid) - before) / (idleMs / 1000)) * 100;
    return [
      { name: 'up: ready line on a new data folder', value: fairlead.readyMs, unit: 'ms', target: 1500 },
      { name: 'up: all demo applications synced and healthy', value: settledMs, unit: 'ms', target: 10_000 },
      {
        name: 'up: commit to applied, plain YAML, median of 7',
        value: median(commits),
        unit: 'ms',
        target: 300,
      },
      { name: 'up: resident memory when idle', value: residentMb(fairlead.pid), unit: 'MB', target: 200 },
      { name: 'up: processor when idle', value: cpu, unit: '% of a core', target: 1 },
    ];
  } finally {
    await fairlead.stop();
    forget(fairlead);
  }
}

/** From the moment Git has the commit to the moment the application is recorded as synced to it. */
async function commitToApplied(fairlead: Fairlead, replicas: number): Promise<number> {
  const path = 'guestbook/web.yaml';
  const text = readFileSync(join(fairlead.demo, path), 'utf8').replace(
    /replicas: \d+/,
    `replicas: ${replicas}`,
  );
  const commit = await fairlead.commit({ [path]: text }, `${replicas} of them`);
  const began = performance.now();
  await fairlead.until('guestbook', `synced to ${commit}`, ({ status }) => {
    const state = status?.operationState;
    return state?.phase === 'Succeeded' && state.syncResult?.revision === commit;
  });
  return performance.now() - began;
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
