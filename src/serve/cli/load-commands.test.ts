import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { CliDeps } from './cli-deps.ts';
import { addNamed } from './load-commands.ts';

/** The names of the commands that a command line loads. */
async function loadedFor(...args: string[]): Promise<string[]> {
  const group = new Command('app');
  const named = (name: string) => async () => (to: Command) => void to.command(name);
  const commands = { get: named('get'), 'get-resource': named('get-resource'), sync: named('sync') };
  await addNamed(group, { args } as unknown as CliDeps, commands);
  return group.commands.map((one) => one.name());
}

const all = ['get', 'get-resource', 'sync'];

test.each([
  ['a command that is named is loaded alone', ['app', 'get', 'sync'], ['get']],
  ['also after flags of every command', ['--server', 'x', 'app', 'sync'], ['sync']],
  ['help lists all', ['app', '--help'], all],
  ['a typo is compared with all', ['app', 'gat', 'sync'], all],
  ['a word that is being completed may go on', ['__complete', '--', 'app', 'get'], all],
])('%s', async (_what, args, expected) => {
  expect(await loadedFor(...args)).toEqual(expected);
});
