import { expect, test } from 'vitest';
import { type CommandDescription, describeCommands } from './describe-commands.ts';

const never = () => Promise.reject(new Error('a description opens nothing'));
const nothing = () => {};

function leaves({ commands, ...own }: CommandDescription): Omit<CommandDescription, 'commands'>[] {
  return commands.length === 0 ? [own] : commands.flatMap(leaves);
}

// loads every command: before the tests, as their limit is for what they do
const program = await describeCommands({
  io: { out: nothing, err: nothing, env: {}, isTerminal: false, prompt: never },
  version: '0',
  roles: [],
  signal: new AbortController().signal,
  openManifests: never,
});

test('every command has a sentence and examples that begin with it', () => {
  const all = program.commands.flatMap(leaves);
  expect(all.length).toBeGreaterThan(130);
  const usages = all.map(({ usage }) => usage);
  expect(usages.filter((usage, at) => usages.indexOf(usage) !== at)).toEqual([]);
  expect(all.filter(({ about }) => about === '').map(({ usage }) => usage)).toEqual([]);
  const wanting = all.filter(({ usage, examples }) => {
    const name = usage.split(/ [<[]/)[0];
    return !examples.some((line) => line.includes(`fairlead ${name}`));
  });
  expect(wanting.map(({ usage }) => usage)).toEqual([]);
});
