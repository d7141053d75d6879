import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acquire } from './lock.ts';

let folder = '';
let program = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-lock-'));
  // one small file: two dozen processes that each compile the sources would not start at the same time
  program = join(folder, 'lock.mjs');
  const lock = JSON.stringify(fileURLToPath(new URL('./lock.ts', import.meta.url)));
  await build({
    stdin: {
      contents: `
        import { acquire } from ${lock};
        console.log('started');
        process.stdin.on('data', () => acquire(process.argv[2]).then(
          () => console.log('won'),
          (error) => console.log('lost ' + error.code + ' ' + error.message),
        ));`,
      resolveDir: fileURLToPath(new URL('../../..', import.meta.url)),
    },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile: program, logLevel: 'error' },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Contender = { readonly child: ChildProcess; next(): Promise<string> };

async function contender(dir: string): Promise<Contender> {
  const child = spawn(process.execPath, [program, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe('started');
  return { child, next };
}

const go = ({ child }: Contender): unknown => child.stdin?.write('go\n');

async function killed({ child }: Contender): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

test('of 24 processes that start at once on a store whose owner was killed exactly one gets it, ten times (invariant 4)', async () => {
  const dir = await mkdtemp(join(folder, 'store-'));
  await writeFile(join(dir, 'owner'), '999999 12345\n'); // what an earlier version left behind
  const all = await Promise.all(Array.from({ length: 24 }, () => contender(dir)));
  for (let round = 0; round < 10; round++) {
    for (const one of all) go(one);
    const said = await Promise.all(all.map((one) => one.next()));
    const at = said.indexOf('won');
    const winner = all[at] as Contender;
    const refusal = `lost Unavailable the store ${dir} is in use by process ${winner.child.pid}; stop it, or start this one with another data directory`;
    expect(said.toSorted()).toEqual([...Array.from({ length: 23 }, () => refusal), 'won']);
    await killed(winner);
    all[at] = await contender(dir);
  }
  await Promise.all(all.map(killed));
});

test('the lock of a killed process is free at once', async () => {
  const dir = await mkdtemp(join(folder, 'store-'));
  for (let round = 0; round < 3; round++) {
    const holder = await contender(dir);
    go(holder);
    expect(await holder.next()).toBe('won');
    await expect(acquire(dir)).rejects.toThrow(`in use by process ${holder.child.pid}`);
    await killed(holder);
    await (await acquire(dir))();
  }
});

test('a copy of the folder is another store', async () => {
  const dir = await mkdtemp(join(folder, 'store-'));
  const release = await acquire(dir);
  const copy = join(folder, 'copy');
  await cp(dir, copy, { recursive: true });
  await (await acquire(copy))();
  await release();
});
