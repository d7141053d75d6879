import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, print } from '#lang/yaml';
import { ExitError, type Io } from '../io.ts';

/** The value as the user leaves it in their editor; undefined, with a word about it, when they change nothing. */
export async function editYaml<T>(io: Io, value: T, name: string): Promise<T | undefined> {
  const { env, interact } = io;
  if (!interact || !io.isTerminal)
    throw new ExitError(20, 'there is no terminal to edit in: use the set and patch commands instead');
  const [command = 'vi', ...args] = (env.VISUAL || env.EDITOR || 'vi').split(/\s+/);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-edit-'));
  try {
    const file = join(folder, `${name.replaceAll(/[^\w.-]/g, '_')}.yaml`);
    const before = print(value);
    await writeFile(file, before, { mode: 0o600 });
    const code = await interact(command, [...args, file]);
    if (code !== 0) throw new ExitError(20, `the editor ${command} ended with ${code}: nothing was changed`);
    const after = await readFile(file, 'utf8');
    if (after !== before) return parse(after) as T;
    io.out('Edit cancelled, no changes made.\n');
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
