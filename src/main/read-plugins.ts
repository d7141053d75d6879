import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '#base/std';
import { parse } from '#lang/yaml';
import { type Plugin, readPlugin } from '#sources/render';

/**
 * The plugins described in a folder: each a file `<any name>.yaml`, or `plugin.yaml` in a folder of its own, in the order of
 * their names. Throws for a bad one.
 */
export async function readPlugins(dir: string | undefined): Promise<Plugin[]> {
  if (dir === undefined) return [];
  const entries = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    throw new FairleadError('NotFound', `--plugins ${dir} is not a folder that can be read`, error);
  });
  const paths = entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(async (entry) => {
      const path = join(dir, entry.name);
      // a link may lead to either: its name decides
      if (/\.ya?ml$/.test(entry.name) && !entry.isDirectory()) return [path];
      return entry.isFile() ? [] : manifestsIn(path);
    });
  return Promise.all(
    (await Promise.all(paths))
      .flat()
      .map(async (path) => readPlugin(parse(await readFile(path, 'utf8'), { name: path }), path)),
  );
}

async function manifestsIn(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => /^plugin\.ya?ml$/.test(name)).map((name) => join(dir, name));
}
