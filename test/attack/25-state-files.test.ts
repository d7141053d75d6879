import { lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bytes } from '#platform/store';
import { type Fairlead, forget, isSettled, startFairlead } from '../e2e/fairlead.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 25: state and cache files are for their owner alone, and what is in them is checked before it is used.

let fairlead: Fairlead;
let umask: number;
beforeAll(async () => {
  umask = process.umask(0); // the started program inherits it
  fairlead = await startFairlead();
  await fairlead.until('guestbook', 'settled', isSettled);
});
afterAll(async () => {
  process.umask(umask);
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

/** Everything below the data folder that others may read, write or enter. */
function exposed(): string[] {
  const { dataDir } = fairlead;
  const paths = ['.', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })];
  return paths.filter((path) => {
    const found = lstatSync(join(dataDir, path), { throwIfNoEntry: false });
    return found && !found.isSymbolicLink() && (found.mode & 0o077) !== 0;
  });
}

test('nothing in the data folder is for others, with a umask of 0', () => {
  expect(exposed()).toEqual([]);
});

test('what others could read before is tightened at the next start', async () => {
  await fairlead.stop();
  const { dataDir } = fairlead;
  for (const path of ['', 'store', 'pki', 'cache']) await chmod(join(dataDir, path), 0o755);
  for (const path of ['store/data.mdb', 'kubeconfig', 'admin-password'])
    await chmod(join(dataDir, path), 0o644);
  fairlead = await fairlead.restart();
  expect(exposed()).toEqual([]);
});

test('a damaged cache is rebuilt, and applications stay as they are', async () => {
  await fairlead.stop();
  writeFileSync(join(fairlead.dataDir, 'cache/manifests/data.mdb'), Buffer.alloc(64 * 1024, 7));
  fairlead = await fairlead.restart();
  await fairlead.until('guestbook', 'settled', isSettled);
});

test('a damaged store is refused with the place and the way out, and left as it is', async () => {
  await fairlead.stop();
  const file = join(fairlead.dataDir, 'store/data.mdb');
  const sound = readFileSync(file);
  const broken = Buffer.from(sound);
  broken.fill(0xa5, 2 * 4096, 40 * 4096);
  writeFileSync(file, broken);
  await expect(fairlead.restart()).rejects.toThrow(
    /the store is damaged: page \d+ of its data file .*move the folder away/,
  );
  expect(readFileSync(file).equals(broken)).toBe(true);
  writeFileSync(file, sound);
  fairlead = await fairlead.restart();
  await fairlead.until('guestbook', 'settled', isSettled);
});

test('a render that was changed in the cache is rendered again, not believed', async () => {
  const the: ManifestsFixture = await manifestsFixture();
  await the.repo.commit({ 'app/own.yaml': configMap('own') });
  const request = the.request({ path: 'app' });
  await the.manifests.generate(the.ctx, request);
  const kept = the.store.table('render-bodies', bytes);
  const changed = [...kept.range()].map(([key, body]) => {
    const text = Buffer.from(body).toString().replaceAll('own', 'evil');
    expect(text).toContain('evil');
    return kept.put(key, Buffer.from(text));
  });
  expect(changed).not.toEqual([]);
  await the.store.write(changed);
  const { objects } = await the.restarted().generate(the.ctx, request);
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['own']);
  await the.close();
});
