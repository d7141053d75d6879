import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../test/git-repository.ts';
import { readPlugins } from './read-plugins.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const manifest = (name: string) =>
  `apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nmetadata: { name: ${name} }\nspec: { generate: { command: [cat, x] } }\n`;

test('a plugin is a file of the folder, or the plugin.yaml of a folder in it, as sidecars have it', async () => {
  await writeFile(join(folder.path, 'b.yaml'), manifest('b'));
  for (const [name, file] of [
    ['a', 'plugin.yaml'],
    ['c', 'plugin.yml'],
  ] as const) {
    await mkdir(join(folder.path, name));
    await writeFile(join(folder.path, name, file), manifest(name));
  }
  await mkdir(join(folder.path, 'empty'));
  await writeFile(join(folder.path, 'README.md'), '# not a plugin\n');
  expect((await readPlugins(folder.path)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test('a folder that cannot be read and a bad plugin in a folder are named', async () => {
  await expect(readPlugins(join(folder.path, 'no'))).rejects.toThrow('is not a folder that can be read');
  await mkdir(join(folder.path, 'bad'));
  await writeFile(join(folder.path, 'bad/plugin.yaml'), 'kind: Other\n');
  await expect(readPlugins(folder.path)).rejects.toThrow('bad/plugin.yaml');
});
