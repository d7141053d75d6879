import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gitRepository, temporaryFolder } from '../../../../test/git-repository.ts';
import { isReachable, reachableFolder } from './local-reach.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const at = (...parts: string[]): string => join(folder.path, ...parts);
const asked = (path: string) =>
  reachableFolder({ path, shown: path }, { local: [at('open')], never: [at('open/data')], except: [] });

/** A bare folder that has a store of objects of its own. */
async function bare(dir: string): Promise<string> {
  await mkdir(join(dir, 'objects/info'), { recursive: true });
  await writeFile(join(dir, 'HEAD'), 'ref: refs/heads/main\n');
  return dir;
}

test('a repository in a listed folder is read where it really is', async () => {
  const { dir } = await gitRepository(at('open/shop'));
  await symlink(dir, at('open/link'));
  expect(await asked(at('open/link'))).toBe(dir);
  expect(await asked(dir)).toBe(dir);
});

test('a .git file that leads to a folder which only lends its objects from there is refused', async () => {
  const kept = await bare(at('open/data/mirror.git'));
  await bare(at('open/common'));
  await writeFile(join(kept, 'commondir'), at('open/common'));
  await mkdir(at('open/pointer'));
  await writeFile(at('open/pointer/.git'), `gitdir: ${kept}\n`);
  await expect(asked(at('open/pointer'))).rejects.toMatchObject({ code: 'PermissionDenied' });
});

test('a common folder out of reach is refused, although its objects are within', async () => {
  const kept = at('open/data/mirror.git');
  await mkdir(kept, { recursive: true });
  await bare(at('open/objects'));
  await symlink(at('open/objects/objects'), join(kept, 'objects'));
  const own = await bare(at('open/work/.git'));
  await writeFile(join(own, 'commondir'), kept);
  await expect(asked(at('open/work'))).rejects.toMatchObject({ code: 'PermissionDenied' });
});

test('alternates of alternates are followed, and lines that are comments or gone are not', async () => {
  const first = await bare(at('open/first'));
  const second = await bare(at('open/second'));
  const kept = await bare(at('open/data/mirror.git'));
  await writeFile(join(first, 'objects/info/alternates'), '# a comment\n/gone\n../../second/objects\n');
  expect(await asked(first)).toBe(first);
  await writeFile(join(second, 'objects/info/alternates'), `${kept}/objects\n`);
  await expect(asked(first)).rejects.toMatchObject({ code: 'PermissionDenied' });
});

test('what does not exist is not reachable', async () => {
  expect(await isReachable(at('open/none'), { local: 'any' })).toBe(false);
  await expect(asked(at('open/none'))).rejects.toMatchObject({ code: 'NotFound' });
});
