import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Ctx, realClock, silent } from '#base/std';
import { createSources, type Sources } from '#sources/repositories';
import { gitRepository, temporaryFolder } from '../test/git-repository.ts';
import { gitCommand } from '../test/manifests.ts';
import type { Figure } from './harness.ts';

// What it costs to learn where the branches of a repository stand, against what a program would take in the same run.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const run = promisify(execFile);

export async function figures(): Promise<Figure[]> {
  const folder = await temporaryFolder();
  const host = fork(fileURLToPath(import.meta.resolve('./git-host.ts')));
  host.send(join(folder.path, 'srv'));
  const [url] = (await once(host, 'message')) as [string];
  const sources = createSources({
    cacheDir: join(folder.path, 'cache'),
    git: gitCommand(),
    reach: { loopback: true },
  });
  try {
    return [
      ...(await listing({ sources, url, folder: folder.path, refs: 10, rounds: 100 })),
      ...(await listing({ sources, url, folder: folder.path, refs: 20_000, rounds: 20 })),
    ];
  } finally {
    await sources.close();
    host.kill();
    await folder.remove();
  }
}

type Listing = { sources: Sources; url: string; folder: string; refs: number; rounds: number };

async function listing({ sources, url, folder, refs, rounds }: Listing): Promise<Figure[]> {
  const name = `refs-${refs}`;
  const repo = await gitRepository(join(folder, 'srv', name));
  const commit = await repo.commit({ a: '1' });
  await run('sh', ['-c', fill, repo.dir, commit, String(refs)]);
  const repository = { url: `${url}/${name}/.git` };
  const ask = () => sources.listRefs(ctx, repository, { fresh: true });
  for (let round = 0; round < 10; round++) await ask(); // git is asked once, and then all is as it stays
  const ours = await cpuMs(rounds, ask);
  const args = ['ls-remote', '--quiet', '--symref', repository.url];
  const theirs = await cpuMs(rounds, () => run(gitCommand().command, args, { maxBuffer: 1e9 }));
  const what = `list ${refs.toLocaleString('en')} refs over http, CPU`;
  return [
    { name: what, value: ours, unit: 'ms', target: Math.max(2, refs / 2_000) },
    { name: '  against git ls-remote', value: ours / theirs, unit: '×', target: 0.25 },
  ];
}

const fill =
  'seq $2 | sed "s,.*,create refs/pull/&/head $1," | git -C "$0" update-ref --stdin && git -C "$0" pack-refs --all';

/** What one round takes of the processor, in this process and in programs that it waits for. */
async function cpuMs(rounds: number, work: () => Promise<unknown>): Promise<number> {
  const [own, children] = [process.cpuUsage(), childrenMs()];
  for (let round = 0; round < rounds; round++) await work();
  const { user, system } = process.cpuUsage(own);
  return ((user + system) / 1000 + childrenMs() - children) / rounds;
}

/** Linux counts it in hundredths of a second. */
function childrenMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
