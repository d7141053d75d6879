import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { memoryTree } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { findTool } from '#platform/exec';
import { buildKustomization } from '#sources/kustomize';
import type { Figure } from './harness.ts';
import { overlayFiles } from './loop/monorepo.ts';

// A build in process beside the real engine's, which is a process of its own, for the same overlay in the same run.

const run = promisify(execFile);
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const path = 'apps/app-0007';
const rounds = 300;

export async function figures(): Promise<Figure[]> {
  const files = overlayFiles('app-0007');
  const tree = memoryTree(files);
  const built = await buildKustomization({ tree, path });
  if ('declined' in built) throw new Error(`the overlay of the bench is declined: ${built.declined}`);
  const again = (): Promise<unknown> => buildKustomization({ tree, path });
  await timed(200, again);
  const before = process.cpuUsage();
  const ours = await timed(rounds, again);
  const { user, system } = process.cpuUsage(before);
  const theirs = await inFolder(files, (folder) => forkTime(join(folder, path)));
  const cpu = (user + system) / 1000 / rounds;
  return [
    { name: 'kustomize: CPU for an overlay of ten objects', value: cpu, unit: 'ms', target: 4 },
    { name: '  its time against a fork’s', value: (100 * ours) / theirs, unit: '%', target: 5 },
  ];
}

async function forkTime(folder: string): Promise<number> {
  const tools = { searchPath: '', cacheDir: join(tmpdir(), 'fairlead-test-tools') };
  const { command, prefixArgs } = await findTool(ctx, 'kustomize', tools);
  return timed(5, () => run(command, [...prefixArgs, folder]));
}

async function timed(times: number, call: () => Promise<unknown>): Promise<number> {
  await call();
  const start = performance.now();
  for (let round = 0; round < times; round++) await call();
  return (performance.now() - start) / times;
}

async function inFolder<T>(files: Record<string, string>, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
