import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { bytes, json, memoryStore, openCache, openStore, type Store } from './index.ts';

const folders: string[] = [];
const folder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'fairlead-store-'));
  folders.push(dir);
  return dir;
};
afterEach(async () => {
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true });
});

const kinds: [string, () => Promise<Store>][] = [
  ['in LMDB', async () => openStore(await folder())],
  ['in memory', async () => memoryStore()],
];

describe.each(kinds)('a store %s', (_name, open) => {
  test('answers what was written, in key order, and nothing for what was not', async () => {
    const store = await open();
    const table = store.table('letters', json<{ n: number }>());
    await store.write([table.put('b', { n: 2 }), table.put('a', { n: 1 }), table.put('c', { n: 3 })]);
    expect(table.get('a')).toEqual({ n: 1 });
    expect(table.get('z')).toBeUndefined();
    expect([...table.range()].map(([key]) => key)).toEqual(['a', 'b', 'c']);
    expect([...table.range({ from: 'b' })].map(([key]) => key)).toEqual(['b', 'c']);
    expect([...table.range({ from: 'a', before: 'c', limit: 1 })]).toEqual([['a', { n: 1 }]]);
    await store.write([table.remove('b'), table.remove('nothing')]);
    expect([...table.range()].map(([key]) => key)).toEqual(['a', 'c']);
    await store.close();
  });

  test('keeps integers beyond 2^53 and bytes as they came', async () => {
    const store = await open();
    const numbers = store.table('numbers', json<unknown>());
    const raw = store.table('raw', bytes);
    await store.write([numbers.put('n', { at: 9007199254740993n }), raw.put('b', Uint8Array.of(0, 255, 7))]);
    expect(numbers.get('n')).toEqual({ at: 9007199254740993n });
    expect([...(raw.get('b') ?? [])]).toEqual([0, 255, 7]);
    await store.close();
  });

  test('stops at the end of a prefix and keeps tables apart', async () => {
    const store = await open();
    const one = store.table('one', json<number>());
    const two = store.table('two', json<number>());
    await store.write([one.put('a/1', 1), one.put('a/2', 2), one.put('b/1', 3), two.put('a/9', 9)]);
    expect([...one.range({ prefix: 'a/' })]).toEqual([
      ['a/1', 1],
      ['a/2', 2],
    ]);
    expect([...one.range({ prefix: 'a/', from: 'a/2' })]).toEqual([['a/2', 2]]);
    await store.close();
  });

  test('refuses keys LMDB could not hold, and any use after close', async () => {
    const store = await open();
    const table = store.table('t', json<number>());
    expect(() => table.put('', 1)).toThrow('empty');
    expect(() => table.put('k'.repeat(1501), 1)).toThrow('1500 bytes');
    await store.close();
    await store.close();
    expect(() => table.get('a')).toThrow('closed');
    await expect(store.write([table.put('a', 1)])).rejects.toThrow('closed');
  });
});

test('both kinds agree on order and content after any writes', async () => {
  const key = fc.oneof(
    fc.string({ minLength: 1, maxLength: 6 }),
    fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme' }),
  );
  const change = fc.tuple(key, fc.option(fc.integer()));
  const disk = await openStore(await folder());
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (changes) => {
      const name = `t${round++ % 40}`;
      const memory = memoryStore();
      const seen = [];
      for (const store of [disk, memory]) {
        const table = store.table(name, json<number>());
        await store.write([...table.range()].map(([old]) => table.remove(old)));
        await store.write(changes.map(([k, v]) => (v === null ? table.remove(k) : table.put(k, v))));
        seen.push([...table.range()]);
      }
      expect(seen[0]).toEqual(seen[1]);
    }),
    { numRuns: 60 },
  );
  await disk.close();
});

test('a fork starts equal and goes its own way', async () => {
  const store = memoryStore();
  const table = store.table('t', json<number>());
  await store.write([table.put('a', 1)]);
  const fork = store.fork();
  const other = fork.table('t', json<number>());
  await fork.write([other.put('b', 2), other.remove('a')]);
  expect([...table.range()]).toEqual([['a', 1]]);
  expect([...other.range()]).toEqual([['b', 2]]);
});

test('writes made side by side all survive a reopen (invariants 1 and 2)', async () => {
  const dir = await folder();
  const store = await openStore(dir);
  const table = store.table('t', json<number>());
  await Promise.all(Array.from({ length: 500 }, (_, i) => store.write([table.put(`k${i}`, i)])));
  await store.close();
  const again = await openStore(dir);
  expect([...again.table('t', json<number>()).range()]).toHaveLength(500);
  await again.close();
});

test('kill -9 loses nothing that had resolved, and leaves a store that opens (invariant 2)', async () => {
  const dir = await folder();
  const door = fileURLToPath(new URL('./index.ts', import.meta.url));
  const script = `
    import { openStore, json } from ${JSON.stringify(door)};
    const store = await openStore(${JSON.stringify(dir)});
    const table = store.table('t', json());
    for (let i = 0; ; i++) {
      await store.write([table.put('k' + i, { i, pad: 'x'.repeat(3000) }), table.put('last', i)]);
      process.stdout.write(i + '\\n');
    }`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let heard = '';
  for await (const chunk of child.stdout) {
    heard += chunk;
    if (heard.split('\n').length > 40) break;
  }
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const acknowledged = Number(heard.trim().split('\n').at(-1));
  const store = await openStore(dir); // the claim of the killed process is taken over
  const table = store.table('t', json<unknown>());
  const last = table.get('last') as number;
  expect(last).toBeGreaterThanOrEqual(acknowledged);
  for (let i = 0; i <= last; i++) expect(table.get(`k${i}`)).toMatchObject({ i });
  await store.close();
});

test('a second owner is told who has the store (invariant 4)', async () => {
  const dir = await folder();
  const store = await openStore(dir);
  await expect(openStore(dir)).rejects.toThrow(`in use by process ${process.pid}`);
  await store.close();
  await (await openStore(dir)).close();
});

test('a store of a newer version, or of another program, is refused and left as it is (invariant 3)', async () => {
  const lmdb = async (dir: string, name: string, value: string) => {
    const { open } = await import('lmdb');
    const root = open({ path: dir, noSubdir: false, encoding: 'binary', maxDbs: 64 });
    await root.openDB({ name, encoding: 'binary' }).put('format', Buffer.from(value));
    await root.close();
  };
  const newer = await folder();
  await (await openStore(newer)).close();
  await lmdb(newer, 'fairlead', '2');
  const before = await readFile(join(newer, 'data.mdb'));
  await expect(openStore(newer)).rejects.toThrow(
    'written by a newer version of fairlead (form 2, this one reads 1)',
  );
  expect((await readFile(join(newer, 'data.mdb'))).equals(before)).toBe(true);
  await lmdb(newer, 'fairlead', '1');
  await (await openStore(newer)).close();

  const strange = await folder();
  await lmdb(strange, 'accounts', 'x');
  await expect(openStore(strange)).rejects.toThrow('holds a database of another program');
});

test('a full disk fails the write and nothing before it (invariant 2)', async () => {
  const dir = await folder();
  const door = fileURLToPath(new URL('./index.ts', import.meta.url));
  const script = `
    import { openStore, json } from ${JSON.stringify(door)};
    process.on('SIGXFSZ', () => {});
    const store = await openStore(${JSON.stringify(dir)});
    const table = store.table('t', json());
    let i = 0;
    try {
      for (; i < 2000; i++) await store.write([table.put('k' + i, 'x'.repeat(3000))]);
    } catch (error) {
      const more = [1, 2].map((n) => store.write([table.put('more' + n, 'x'.repeat(300_000))]));
      const refused = (await Promise.allSettled(more)).filter(({ status }) => status === 'rejected').length;
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      console.log(JSON.stringify({ i, refused, code: error.code, message: error.message }));
      process.exit(0);
    }`;
  // a limit on the size of files (in KiB) is as full as a disk can be made without one
  const child = spawn(
    'bash',
    ['-c', 'ulimit -f 1500; exec "$0" --import tsx --input-type=module -e "$1"', process.execPath, script],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let heard = '';
  for await (const chunk of child.stdout) heard += chunk;
  const { i, refused, code, message } = JSON.parse(heard);
  expect([code, refused]).toEqual(['Unavailable', 2]); // and it went on
  expect(message).toContain('check that the disk of the data directory has room');
  const store = await openStore(dir);
  const table = store.table('t', json<string>());
  for (let k = 0; k < i; k++) expect(table.get(`k${k}`)).toHaveLength(3000);
  await store.close();
});

test('a full disk refuses a write, and the next one is tried: with room again it succeeds (invariant 2)', async () => {
  const dir = await folder();
  const door = fileURLToPath(new URL('./index.ts', import.meta.url));
  const script = `
    import { execFileSync } from 'node:child_process';
    import { openStore, json } from ${JSON.stringify(door)};
    process.on('SIGXFSZ', () => {});
    const store = await openStore(${JSON.stringify(dir)});
    const table = store.table('t', json());
    const limit = (size) => execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=' + size + ':']);
    const put = (key) => store.write([table.put(key, 'x'.repeat(300_000))]).then(() => 'stored', (error) => error.code);
    const said = [await put('before')];
    limit(1_048_576);
    for (let i = 0; i < 12; i++) said.push(await put('full' + i));
    said.push(table.get('before').length);
    limit('unlimited');
    said.push(await put('after'));
    await store.close();
    console.log(JSON.stringify(said));`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let heard = '';
  for await (const chunk of child.stdout) heard += chunk;
  const [before, ...rest] = JSON.parse(heard);
  const [length, after] = rest.splice(-2);
  expect([before, length, after]).toEqual(['stored', 300_000, 'stored']);
  expect(rest).toContain('Unavailable');
  expect(rest.slice(rest.indexOf('Unavailable')).every((one: string) => one === 'Unavailable')).toBe(true);
  const store = await openStore(dir);
  const kept = [...store.table('t', json<string>()).range()].map(([key]) => key);
  const stored = rest.flatMap((one: string, i: number) => (one === 'stored' ? [`full${i}`] : []));
  expect(kept).toEqual(['after', 'before', ...stored].toSorted());
  await store.close();
});

test('a page that is not what it should be is found before it does harm, and a sound store never is (invariant 3)', async () => {
  const dir = await folder();
  const store = await openStore(dir);
  const [one, two] = [store.table('t', json<string>()), store.table('u', json<number>())];
  for (let round = 0; round < 30; round++) {
    const keys = Array.from({ length: 20 }, (_, i) => `k${(round * 7 + i) % 90}`);
    await store.write(
      keys.map((key, i) => (i % 5 === 4 ? one.remove(key) : one.put(key, 'x'.repeat((i * 977) % 12_000)))),
    );
    await store.write(keys.map((key, i) => two.put(`${round}/${key}`, i)));
  }
  await store.close();
  const sound = await readFile(join(dir, 'data.mdb'));
  await (await openStore(dir)).close();
  let refused = 0;
  for (let number = 2; number < sound.length / 4096; number += 3) {
    const broken = Buffer.from(sound);
    broken.fill(number % 2 ? 0 : 0xa5, number * 4096, number * 4096 + 512);
    await writeFile(join(dir, 'data.mdb'), broken);
    const error: unknown = await openStore(dir).then(
      (opened) => opened.close(), // a page that nothing leads to, or the middle of a long value
      (thrown) => thrown,
    );
    if (error === undefined) continue;
    expect(String(error)).toMatch(/the store is damaged: .* move the folder away to start empty/);
    expect((await readFile(join(dir, 'data.mdb'))).equals(broken)).toBe(true);
    refused += 1;
  }
  expect(refused).toBeGreaterThan(10);
});

test('a damaged cache begins anew, says so, and is not taken from who has it', async () => {
  const dir = await folder();
  const kept = await openCache(dir);
  expect(kept.isNew).toBe(false);
  await kept.store.write([kept.store.table('t', json<string>()).put('a', 'b')]);
  await expect(openCache(dir)).rejects.toMatchObject({ code: 'Unavailable' });
  await kept.store.close();
  const same = await openCache(dir);
  expect([same.isNew, same.store.table('t', json<string>()).get('a')]).toEqual([false, 'b']);
  await same.store.close();
  await writeFile(join(dir, 'data.mdb'), Buffer.alloc(16_384, 7));
  const anew = await openCache(dir);
  expect([anew.isNew, anew.store.table('t', json<string>()).get('a')]).toEqual([true, undefined]);
  await anew.store.close();
});

describe('a damaged store is reported with the way out and left as it is (invariant 3)', () => {
  const filled = async (): Promise<string> => {
    const dir = await folder();
    const store = await openStore(dir);
    const table = store.table('t', json<string>());
    for (let i = 0; i < 20; i++) await store.write([table.put(`k${i}`, 'x'.repeat(20_000))]);
    await store.close();
    return dir;
  };

  test.each([
    ['emptied', 0],
    ['cut inside its head', 5000],
    ['cut in the middle', 100 * 1024],
  ])('%s', async (_name, length) => {
    const dir = await filled();
    await truncate(join(dir, 'data.mdb'), length);
    await expect(openThenRead(dir)).rejects.toThrow(/the store is damaged: .*put a backup/);
    await expect(openThenRead(dir)).rejects.toThrow(/the store is damaged/);
  });

  test('overwritten', async () => {
    const dir = await filled();
    await writeFile(join(dir, 'data.mdb'), 'not a database '.repeat(10_000));
    await expect(openThenRead(dir)).rejects.toThrow(/the store is damaged/);
  });

  async function openThenRead(dir: string): Promise<void> {
    const store = await openStore(dir);
    try {
      for (const [, value] of store.table('t', json<string>()).range()) expect(value).toHaveLength(20_000);
    } finally {
      await store.close();
    }
  }
});

test('the files of a store are readable by their owner only, whatever the umask and whatever they were (attack 25)', async () => {
  const dir = await folder();
  const modes = async () =>
    Object.fromEntries(
      await Promise.all(
        ['', 'data.mdb', 'lock.mdb'].map(async (name) => [name, (await stat(join(dir, name))).mode & 0o777]),
      ),
    );
  const before = process.umask(0);
  try {
    await (await openStore(dir)).close();
    expect(await modes()).toEqual({ '': 0o700, 'data.mdb': 0o600, 'lock.mdb': 0o600 });
    await chmod(dir, 0o755);
    for (const name of ['data.mdb', 'lock.mdb']) await chmod(join(dir, name), 0o644);
    await (await openStore(dir)).close();
    expect(await modes()).toEqual({ '': 0o700, 'data.mdb': 0o600, 'lock.mdb': 0o600 });
  } finally {
    process.umask(before);
  }
});
