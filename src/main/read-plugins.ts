import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from '#lang/yaml';
import { type Plugin, readPlugin } from '#render';
import { FairleadError } from '#std';

/** The plugins described in a folder, one plugin.yaml each, in the order of their file names. Throws for a bad one. */
export async function readPlugins(dir: string | undefined): Promise<Plugin[]> {
  if (dir === undefined) return [];
  const names = await readdir(dir).catch((error: unknown) => {
    throw new FairleadError('NotFound', `--plugins ${dir} is not a folder that can be read`, error);
  });
  const files = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  return Promise.all(
    files.map(async (name) => {
      const path = join(dir, name);
      return readPlugin(parse(await readFile(path, 'utf8'), { name: path }), path);
    }),
  );
}
