import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rate, Served, type Speed } from './devcluster/client.ts';
import { configMap, deployment } from './devcluster/objects.ts';
import type { Kept } from './devcluster/server.ts';
import type { Figure } from './harness.ts';
import { cpuSeconds, residentMb } from './loop/processes.ts';

const width = 32;
/** The compiler still gets to know the program during the first ten thousand requests. */
const warmup = 10_000;
const counted = 10_000;
const applied = 2_000;
const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';

const create = (server: Served) => (index: number) =>
  server.write({
    method: 'POST',
    path: `${core}/configmaps`,
    type: 'application/json',
    body: configMap(index),
  });

const apply = (server: Served, replicas: number) => (index: number) =>
  server.write({
    method: 'PATCH',
    path: `${apps}/deployments/web-${index}?fieldManager=bench&force=true`,
    type: 'application/apply-patch+yaml',
    body: deployment(index, replicas),
  });

async function withServer<T>(kept: Kept, work: (server: Served) => Promise<T>): Promise<T> {
  const server = await Served.start(kept);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Creates of a small object, once the program is warm. */
const creates = (kept: Kept): Promise<Speed> =>
  withServer(kept, async (server) => {
    await rate(warmup, width, create(server));
    return rate(counted, width, (index) => create(server)(warmup + index));
  });

/** Applies that change something, once the program is warm. */
const applies = (kept: Kept): Promise<Speed> =>
  withServer(kept, async (server) => {
    for (const replicas of [1, 2, 3]) await rate(applied, width, apply(server, replicas));
    return rate(applied, width, apply(server, 4));
  });

async function speeds(kept: Kept): Promise<Figure[]> {
  const created = await creates(kept);
  const changes = await applies(kept);
  const name = `devcluster (${kept}):`;
  return [
    { name: `${name} time of a create`, value: 1e6 / created.perSecond, unit: 'µs', target: 200 },
    { name: `${name} 99th of 100 creates, ${width} at once`, value: created.p99Ms, unit: 'ms', target: 50 },
    { name: `${name} time of an apply`, value: 1e6 / changes.perSecond, unit: 'µs', target: 1250 },
  ];
}

/** How much a Kubernetes server does more than one that only keeps what it gets. */
async function ratio(create: Figure | undefined): Promise<Figure> {
  const plain = await creates('plain');
  const value = ((create?.value ?? 0) / 1e6) * plain.perSecond;
  return { name: 'devcluster: a create beside a plain server’s', value, unit: '×', target: 4 };
}

const crowd = (): Promise<Figure> =>
  withServer('memory', async (server) => {
    await server.fill(50_000);
    const value = residentMb(server.pid);
    return { name: 'devcluster: 50,000 pods', value, unit: 'MB', target: 400 };
  });

const idleMs = 10_000;

const watchers = (): Promise<Figure> =>
  withServer('memory', async (server) => {
    for (let i = 0; i < 200; i++) {
      const resource = ['pods', 'configmaps', 'services', 'secrets'][i % 4];
      await server.watch(`/api/v1/${resource}?watch=true&allowWatchBookmarks=true`);
    }
    await sleep(2_000);
    const before = cpuSeconds(server.pid);
    await sleep(idleMs);
    const value = ((cpuSeconds(server.pid) - before) / (idleMs / 1000)) * 100;
    return { name: 'devcluster: 200 watches, nothing happens', value, unit: '% of a core', target: 5 };
  });

/** `up --cluster-only` on a new data folder. Needs `npm run build`. */
async function start(): Promise<Figure> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push(await startOnce());
  const [, , value = Number.NaN] = times.sort((a, b) => a - b);
  return { name: 'devcluster: ready on a new data folder', value, unit: 'ms', target: 500 };
}

async function startOnce(): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const program = join(import.meta.dirname, '../dist/main/fairlead.js');
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [program, 'up', '--cluster-only', '--data-dir', dataDir, '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    await once(child.stdout, 'data');
    return performance.now() - began;
  } finally {
    child.kill('SIGINT');
    await once(child, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The embedded cluster over loopback, its client on the same cores. */
export async function figures(): Promise<Figure[]> {
  const memory = await speeds('memory');
  return [
    ...memory,
    await ratio(memory[0]),
    ...(await speeds('lmdb')),
    await crowd(),
    await watchers(),
    await start(),
  ];
}
